// SPDX-License-Identifier: MIT

// What a system tells of itself.

#include "system/instant.h"
#include "system/system.h"

const char *kal_system_title(const KalSystem *system)
{
    if (!system) {
        return "";
    }
    return system->title;
}

int kal_system_coordinates(const KalSystem *system)
{
    if (!system) {
        return 0;
    }
    return system->n;
}

int kal_system_constraints(const KalSystem *system)
{
    if (!system) {
        return 0;
    }
    return system->m;
}

int kal_system_outputs(const KalSystem *system)
{
    if (!system) {
        return 0;
    }
    return system->n_outputs;
}

const char *const *kal_system_coordinate_names(const KalSystem *system)
{
    if (!system) {
        return NULL;
    }
    return system->names;
}

const char *const *kal_system_constraint_names(const KalSystem *system)
{
    if (!system) {
        return NULL;
    }
    return system->names + system->n;
}

const char *const *kal_system_output_names(const KalSystem *system)
{
    if (!system) {
        return NULL;
    }
    return system->names + system->n + system->m;
}

int kal_system_states(const KalSystem *system)
{
    if (!system) {
        return 0;
    }
    return system->n_states;
}

const char *const *kal_system_state_names(const KalSystem *system)
{
    if (!system) {
        return NULL;
    }
    return kal_system_output_names(system) + system->n_outputs;
}

int kal_system_holds(const KalSystem *system)
{
    if (!system) {
        return 0;
    }
    return system->n_holds;
}

const char *const *kal_system_hold_names(const KalSystem *system)
{
    if (!system) {
        return NULL;
    }
    return kal_system_state_names(system) + system->n_states;
}

int kal_system_inputs(const KalSystem *system)
{
    if (!system || system->n_servos > 0) {
        return 0;
    }
    return system->n_actuators;
}

const char *const *kal_system_input_names(const KalSystem *system)
{
    if (!system) {
        return NULL;
    }
    return kal_system_hold_names(system) + system->n_holds;
}

size_t kal_system_write_warnings(const KalSystem *system, KalSink sink)
{
    if (!(system && sink.write)) {
        return 0;
    }
    kal_diagnostics_write(system->diagnostics, sink);
    return kal_diagnostics_count(system->diagnostics, KAL_SEVERITY_WARNING);
}

void kal_system_write_texts(const KalSystem *system, KalSink sink)
{
    kal_sources_write(system->sources, sink);
}

// Who is to blame for the last failure of an instant: contacts, servos, or what the solve found.

KalMotionFault kal_instant_fault(const KalInstant *instant)
{
    if (!instant) {
        return (KalMotionFault){.count = 0};
    }
    return instant->large.solver ? kal_large_instant_fault(instant)
                                 : kal_motion_fault(instant->motion);
}

// Contacts know best whom to blame, then servos, then the solver.
size_t kal_instant_fault_names(const KalInstant *instant, const char *const **out_names)
{
    if (!(instant && out_names)) {
        return 0;
    }
    const KalMotionFault fault = kal_instant_fault(instant);
    int count = kal_contacts_blamed(&instant->contacts, out_names);
    if (count == 0 && instant->control) {
        count = kal_control_blamed(instant->control, out_names);
    }
    if (count > 0) {
        return (size_t)count;
    }
    for (int i = 0; i < fault.count; i++) {
        instant->blamed[i] =
            fault.constraints
                ? instant->row_names[fault.indices[i]]
                : kal_system_coordinate_names(instant->system)[fault.indices[i]];
    }
    *out_names = instant->blamed;
    return (size_t)fault.count;
}
