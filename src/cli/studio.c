// SPDX-License-Identifier: MIT

// studio: models in a browser, live, until Ctrl-C.
//
// The address holds a token that other users of the machine must not learn, and arguments of
// programs are visible to them.  So the browser is not given the address, but a file that
// only the user may read and that leads there.

#include "command.h"
#include "limits.h"

#include <kalaba/studio.h>

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OPTION_PORT,
    OPTION_NO_BROWSER,
    OPTION_LIMITS,
};

static const KalCommandOption options[] = {
    [OPTION_PORT] = {"--port",       "PORT",
                     "listen there; otherwise at any port that is free", false},
    [OPTION_NO_BROWSER] = {"--no-browser", NULL,
                     "do not open the address, only print it",           false},
    KAL_LIMIT_OPTIONS,
};

static volatile sig_atomic_t ended;

static void note_end(int signal_number)
{
    (void)signal_number;
    ended = 1;
}

static bool goes_on(void *user)
{
    (void)user;
    return ended == 0;
}

// The first signal ends the studio in order, a second one at once.
static void listen_to_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_end, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)sigaction(signals[i], &action, NULL);
    }
}

// A file that leads to the address, for the user's eyes only.
typedef struct Signpost {
    char folder[64];
    char file[80]; // "" when there is none
} Signpost;

static bool put_up(Signpost *post, const char *address)
{
    char text[300];
    (void)snprintf(post->folder, sizeof post->folder, "/tmp/kalaba-studio-XXXXXX");
    if (!mkdtemp(post->folder)) {
        return false;
    }
    (void)snprintf(post->file, sizeof post->file, "%s/studio.html", post->folder);
    const int length =
        snprintf(text, sizeof text,
                 "<!doctype html><meta charset=\"utf-8\"><title>Kalaba "
                 "studio</title><meta http-equiv=\"refresh\" content=\"0; "
                 "url=%s\"><a href=\"%s\">Kalaba studio</a>\n",
                 address, address);
    const int file = open(post->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool written = file >= 0 && write(file, text, (size_t)length) == length;
    if (file >= 0) {
        (void)close(file);
    }
    return written;
}

static void take_down(const Signpost *post)
{
    if (post->file[0]) {
        (void)unlink(post->file);
        (void)rmdir(post->folder);
    }
}

// The browser belongs to the user's session: it outlives us, and what it says is not ours.
// A byte in the pipe says that there is none; starting one closes it.
static void start_browser(const char *file, int pipe_end)
{
    static const char *const openers[] = {"xdg-open", "sensible-browser"};
    const int nowhere = open("/dev/null", O_RDWR);
    if (setsid() > 0 && nowhere >= 0) {
        (void)dup2(nowhere, STDIN_FILENO);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
        const pid_t child = fork();
        if (child > 0) {
            _exit(0);
        }
        for (size_t i = 0; child == 0 && i < sizeof openers / sizeof openers[0]; i++) {
            (void)execlp(openers[i], openers[i], file, (char *)NULL);
        }
    }
    (void)!write(pipe_end, "", 1);
    _exit(1);
}

// Whether something was started that opens the file.
static bool find_browser(const char *file)
{
    int ends[2];
    char none;
    if (pipe(ends) != 0) {
        return false;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) {
        start_browser(file, ends[1]);
    }
    (void)close(ends[1]);
    const bool found = child > 0 && read(ends[0], &none, 1) <= 0;
    (void)close(ends[0]);
    if (child > 0) {
        (void)waitpid(child, NULL, 0);
    }
    return found;
}

static void open_browser(Signpost *post, const char *address)
{
    if (!put_up(post, address)) {
        kal_message_print("warning: no browser is opened: there is no place for a file "
                          "in /tmp; the address is %s",
                          address);
    } else if (!find_browser(post->file)) {
        kal_message_print("warning: no browser is opened: neither xdg-open nor "
                          "sensible-browser is there; the address is %s",
                          address);
    }
}

static KalExit serve(const KalArguments *arguments, KalStudio *studio, KalContext *ctx)
{
    Signpost post = {.file = ""};
    const char *address = kal_studio_address(studio);
    listen_to_signals(); // who reads the address may end us
    printf("Kalaba studio: %s\n", address);
    printf("Ctrl-C ends it.\n");
    (void)fflush(stdout);
    if (!arguments->options[OPTION_NO_BROWSER]) {
        open_browser(&post, address);
    }
    const KalStatus status = kal_studio_serve(studio, goes_on, NULL);
    take_down(&post);
    if (status != KAL_OK) {
        kal_message_print("%s", kal_context_message(ctx));
        return KAL_EXIT_FAULT;
    }
    return KAL_EXIT_DONE;
}

static KalExit run_studio(const KalArguments *arguments)
{
    KalStudioOptions how = kal_studio_options();
    KalContext *ctx = NULL;
    KalStudio *studio = NULL;
    how.path = arguments->n_operands > 0 ? arguments->operands[0] : NULL;
    if ((arguments->options[OPTION_PORT]
         && !kal_option_positive(&options[OPTION_PORT], arguments->options[OPTION_PORT],
                                 65535.0, &how.port))
        || !kal_limits_read(&arguments->options[OPTION_LIMITS], &how.seconds,
                            &how.megabytes)) {
        return KAL_EXIT_USAGE;
    }
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        kal_message_print("%s", kal_status_text(KAL_ERR_NOMEM));
        return KAL_EXIT_FAULT;
    }
    KalExit status = KAL_EXIT_FAULT;
    if (kal_studio_create(ctx, &how, &studio) == KAL_OK) {
        status = serve(arguments, studio, ctx);
    } else {
        kal_message_print("%s", kal_context_message(ctx));
    }
    kal_studio_destroy(studio);
    kal_context_destroy(ctx);
    return status;
}

static void print_details(void)
{
    fputs(
        "\nServes a page with an editor and, live, the motion, plots, equations, modes "
        "and\nequilibria of what is typed.  MODEL is shown first; without one, models "
        "of "
        "FOLDER,\nor of the current folder, and examples are to choose from.  The page "
        "is for this\nmachine and for who has its address; models are saved in the "
        "folder when you\nsave them, and nothing else is written.\n"
        "\nExamples:\n"
        "  kalaba studio\n"
        "  kalaba studio sleigh.kal\n"
        "  kalaba studio models --port 8017 --no-browser\n"
        "\nExit status: 0 ended by Ctrl-C, 1 it cannot be served, 2 wrong usage.\n",
        stdout);
}

const KalCommand kal_command_studio = {
    .name = "studio",
    .operands = "[MODEL|FOLDER]",
    .purpose = "models in a browser, live: edit, drag, see them move",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_studio,
};
