/** Says what comes next on the tour, with the time since its beginning. */
export type Step = (text: string) => void;
