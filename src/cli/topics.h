// SPDX-License-Identifier: MIT

/// @file
/// Topics of the help besides commands: what models and options are written in.  Manual pages
/// are made of them and of the help of commands.

#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

typedef struct KalTopic {
    const char *name;
    const char *purpose; ///< one line
    const char *text;
} KalTopic;

/// All topics, `*out_count` of them.
const KalTopic *kal_topics_get(int *out_count);

/// The topic of a name, or NULL.
const KalTopic *kal_topic_find(const char *name);

/// The name that a misspelt one probably means, or NULL.
const char *kal_topic_find_near(const char *name);

#endif
