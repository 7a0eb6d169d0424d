// SPDX-License-Identifier: MIT

// What a system tells of itself.

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
