/* kid: the smallest child there is, so that what is measured is ours. Its first
 * act is to append CLOCK_MONOTONIC (ns) and its pid to FILE.
 *   kid idle FILE    then sleep until a signal ends it
 *   kid exit FILE    then leave with 0 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec t;
	char line[64];
	int fd, n;

	clock_gettime(CLOCK_MONOTONIC, &t);
	if (argc < 3 || (fd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600)) < 0)
		return 99;
	n = snprintf(line, sizeof line, "%ld %d\n", t.tv_sec * 1000000000L + t.tv_nsec, (int)getpid());
	if (write(fd, line, n) != n)
		return 98;
	close(fd);
	while (argv[1][0] == 'i')
		pause();
	return 0;
}
