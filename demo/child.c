/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 8
#define ANSWER_SECONDS 10 /* a child that is silent for longer is broken */
#define END_MS 2000

extern char **environ;

static int spawn(const char *const *arguments, int childs_end, pid_t *ret_pid)
{
    char *argv[ARGUMENTS_MAX + 2] = {(char *)"bulkhead-demo"};
    posix_spawn_file_actions_t actions;

    for (int i = 0; i < ARGUMENTS_MAX && arguments[i] != NULL; i++)
        argv[i + 1] = (char *)arguments[i];
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return -error;
    error = posix_spawn_file_actions_adddup2(&actions, childs_end, CHILD_CHANNEL);
    if (error == 0)
        error = posix_spawn(ret_pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

static int receive(int channel, void *answer, size_t size)
{
    ssize_t count = recv(channel, answer, size, 0);
    if (count < 0)
        return -errno;
    return (size_t)count == size ? 0 : -ECONNRESET;
}

int child_start(struct child *child, const char *const *arguments)
{
    const struct timeval patience = {.tv_sec = ANSWER_SECONDS};
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -errno;
    /* A dup2() onto itself would keep the descriptor close-on-exec. */
    int childs_end = fcntl(ends[1], F_DUPFD_CLOEXEC, CHILD_CHANNEL + 1);
    close(ends[1]);
    int error = childs_end < 0 ? -errno : spawn(arguments, childs_end, &child->pid);
    if (childs_end >= 0)
        close(childs_end);
    if (error != 0) {
        close(ends[0]);
        return error;
    }
    child->channel = ends[0];
    setsockopt(child->channel, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    error = receive(child->channel, &child->port, sizeof child->port);
    if (error != 0)
        child_stop(child);
    return error;
}

int child_ask(const struct child *child, char command, void *answer, size_t size)
{
    if (send(child->channel, &command, 1, MSG_NOSIGNAL) != 1)
        return -errno;
    return receive(child->channel, answer, size);
}

void child_stop(struct child *child)
{
    close(child->channel);
    for (int waited = 0; waited < END_MS; waited += 10) {
        if (waitpid(child->pid, NULL, WNOHANG) != 0)
            return;
        usleep(10000);
    }
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
}

char channel_next_command(void)
{
    char command;
    return recv(CHILD_CHANNEL, &command, 1, 0) == 1 ? command : '\0';
}

void channel_answer(const void *answer, size_t size)
{
    /* When this fails the parent is gone, which the next look for a command finds. */
    (void)send(CHILD_CHANNEL, answer, size, MSG_NOSIGNAL);
}
