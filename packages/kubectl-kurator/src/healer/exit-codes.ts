/** What a script learns from how a command of the healer ended, besides the codes that all commands have. */

/** With `--exit-code`: something is not healthy. Of a drill: it did not recover by itself. */
export const UNHEALTHY = 3;
/** Of a drill: nobody noticed. */
export const NOT_NOTICED = 4;
