// SPDX-License-Identifier: MIT

/// @file
/// What decisions about accelerations and about impacts share: laws, rows and responses.

#ifndef SYSTEM_CONTACT_IMPL_H
#define SYSTEM_CONTACT_IMPL_H

#include "system/contact.h"
#include "system/instant.h"

enum {
    KAL_BLAMED_SIZE = 400 ///< bytes of names in a message
};

/// Let no row of a contact act.
void kal_contacts_release(KalInstant *instant);

/// Laws of the contacts that take part, `taking`; slips up to `still` are 0.
KAL_CHECKED KalStatus kal_contacts_gather(KalInstant *instant, double still);

/// Row `used` of those that take part.
static inline const double *kal_contacts_row(const KalInstant *instant, int used)
{
    const KalContacts *c = &instant->contacts;
    return c->A + (size_t)c->decision.used[used] * (size_t)instant->system->n;
}

/// Responses to unit forces along the rows, and G, theory (21.2).
KAL_CHECKED KalStatus kal_contacts_respond(KalInstant *instant);

/// Solve the laws; who is to blame is known if that fails.
KalTouchEnd kal_contacts_solve_laws(KalInstant *instant, KalTouchAnswer *out_answer);

/// States and active rows from what was decided.
void kal_contacts_act(KalInstant *instant, const KalTouchAnswer *answer);

/// Fail because of how that ended; `what` would have to satisfy the laws.
KAL_CHECKED KalStatus kal_contacts_fail(KalInstant *instant, KalTouchEnd end,
                                        const char *what);

/// The names of who is to blame.
void kal_contacts_list_names(const KalContacts *c, char text[KAL_BLAMED_SIZE]);

/// Blame some contacts, and list their names.
void kal_contacts_blame(KalInstant *instant, const int *list, int count,
                        char text[KAL_BLAMED_SIZE]);

/// Room for what redundant contacts share.
void kal_contacts_lay_out_sharing(KalContacts *c, const KalSystem *system,
                                  KalCarver *carver);

/// How many rows may share forces at most, and limits of them.
int kal_contacts_most_shared(const KalSystem *system);
int kal_contacts_most_limits(const KalSystem *system);

#endif
