// SPDX-License-Identifier: MIT

// Conditions of texts: what a model has, by the words that the texts have for it.

#include "export/operators.h"
#include "export/sparse.h"
#include "export/write_impl.h"

#include <assert.h>
#include <string.h>

// A flag, and whether it is set.
typedef struct Flag {
    const char *name;
    bool set;
} Flag;

// The place of a flag in a list; its length if it is not there.
static size_t find_flag(const Flag *flags, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(flags[i].name, name) != 0) {
        i++;
    }
    return i;
}

// Flags of sparse factors.
static bool has_sparse(const KalExportPlan *plan, const char *flag)
{
    const Flag flags[] = {
        {"OF_TIES",    plan->factoring.of_ties                        },
        {"LENDS",      plan->factoring.n_lends > 0                    },
        {"CHOSEN",     kal_export_has_chosen(plan)                    },
        {"WIDE_NODES", plan->sparse && kal_export_has_wide_nodes(plan)},
        {"DIAGONAL",   kal_export_is_diagonal(plan)                   },
    };

    const size_t count = sizeof flags / sizeof flags[0];
    const size_t i = find_flag(flags, count, flag);
    assert(i < count);
    return flags[i].set;
}

bool kal_export_has_friction(const KalExportPlan *plan)
{
    const KalModel *model = plan->system->model;
    bool any = false;
    for (size_t i = 0; i < model->n_contacts && !any; i++) {
        any = model->contacts[i].n_slips > 0;
    }
    return any;
}

bool kal_export_has(void *user, const char *flag)
{
    const KalExportWriting *w = (const KalExportWriting *)user;
    const KalExportPlan *plan = w->plan;
    const KalOp op = kal_c_operator_of_flag(flag);
    if (op < KAL_OP_COUNT) {
        return w->used.op[op];
    }

    const Flag flags[] = {
        {"FAST",            plan->fast != NULL                                                   },
        {"SPARSE",          plan->sparse                                                         },
        {"SOLVED_ONLY",     !plan->fast && !plan->sparse                                         },
        {"WAVES",           w->used.waves                                                        },
        {"LEVELS",          w->used.levels                                                       },
        {"LARGER",          w->used.larger                                                       },
        {"SMALLER",         w->used.smaller                                                      },
        {"SINGLE",          plan->single                                                         },
        {"ROWS",            plan->names.constraints.count > 0                                    },
        {"NONIDEAL",        plan->system->equations->has_C                                       },
        {"REACTIONS",       plan->system->equations->has_reactions                               },
        {"STATES",          plan->names.states.count > 0                                         },
        {"HOLDS",           plan->names.holds.count > 0                                          },
        {"OUTPUTS",         plan->names.outputs.count > 0                                        },
        {"EVENTS",          plan->names.events.count > 0                                         },
        {"EVENTS_SOLVE",
         plan->system->events_need_solve || plan->names.contacts.count > 0                       },
        {"ACTIONS",         plan->programs[KAL_EXPORT_ACTIONS].program != NULL                   },
        {"CHANGES",         plan->changes                                                        },
        {"CHANGES_FAST",    plan->changes && plan->fast                                          },
        {"REDUNDANT",       kal_export_is_redundant(plan)                                        },
        {"LIMITS_REACT",    plan->limits_react                                                   },
        {"REACTIONS_SHOWN", kal_export_is_redundant(plan) && plan->shows_reactions               },
        {"INPUTS",          plan->names.inputs.count > 0                                         },
        {"LIMITS",          plan->settings.limits.n_chosen > 0                                   },
        {"SERVOS",          plan->names.servos.count > 0                                         },
        {"CONTROLS",        plan->names.controls.count > 0                                       },
        {"CONTACTS",        plan->names.contacts.count > 0                                       },
        {"MODEL_EVENTS",    plan->system->model->n_events > 0                                    },
        {"NATURE_ALONE",
         plan->names.contacts.count == 0 && plan->names.servos.count == 0                        },
        {"CONTROL_LIMITS",
         plan->names.controls.count > 0 && plan->settings.limits.n_chosen > 0                    },
        {"UNITS",           plan->names.controls.count > 0 || plan->names.contacts.count > 0     },
        {"RESPONSES",       plan->names.contacts.count > 0 || plan->names.controls.count > 0
                          || (plan->tangent && plan->names.servos.count > 0)},
        {"TANGENT",         plan->tangent != NULL                                                },
        {"TANGENT_SERVOS",  plan->tangent && plan->names.servos.count > 0                        },
        {"SLIDES",          kal_export_has_friction(plan)                                        },
        {"PLAIN_CHANGE",
         plan->names.servos.count == 0 && !kal_export_has_friction(plan)                         },
        {"FORCES_SHOWN",    plan->system->n_forces > 0                                           },
        {"RETURN",          plan->programs[KAL_EXPORT_RETURN].program != NULL                    },
    };

    const size_t count = sizeof flags / sizeof flags[0];
    const size_t i = find_flag(flags, count, flag);
    return i < count ? flags[i].set : has_sparse(plan, flag);
}
