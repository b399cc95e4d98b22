/** What a script learns from how a command of the healer ended, besides the codes that all commands have. */

/** With `--exit-code`: something is not healthy. */
export const UNHEALTHY = 3;
