/** New images come by themselves, are judged, and go back by themselves: what is decided, which nobody carries out yet. */
export { choose } from './brain/choose.ts';
export { decide } from './brain/decide.ts';
export { LONGEST_HISTORY, MOST_OFFERS } from './brain/memory.ts';
export { rangeOf } from './brain/policy.ts';
