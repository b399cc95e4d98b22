/** Whether what several clients saw of one object can be told as one story, in which every call happens at one moment. */

/** One call, with when it began and ended on a clock that all share, and what came of it. */
export interface Operation {
  readonly kind: 'put' | 'create' | 'replace' | 'delete' | 'get';
  readonly value?: string;
  /** For `replace`: the content that must be there. */
  readonly seen?: string;
  readonly begin: number;
  readonly end: number;
  /** `done`, an error's code, or what was read. */
  readonly result: string;
}

/** Tries every order that the clock allows. Good for a dozen calls. */
export function isLinearizable(left: readonly Operation[], content?: string): boolean {
  if (left.length === 0) return true;
  const firstEnd = Math.min(...left.map(({ end }) => end));
  return left.some((one) => {
    // Another ended before this one began: it can't be the first.
    if (one.begin > firstEnd) return false;
    const { result, after } = apply(one, content);
    const others = () => left.filter((other) => other !== one);
    return result === one.result && isLinearizable(others(), after);
  });
}

function apply({ kind, value, seen }: Operation, content: string | undefined) {
  switch (kind) {
    case 'put':
      return { result: 'done', after: value };
    case 'create':
      return content === undefined ? { result: 'done', after: value } : { result: 'KUR_STORE_EXISTS', after: content };
    case 'replace':
      return content === seen ? { result: 'done', after: value } : { result: 'KUR_STORE_CHANGED', after: content };
    case 'delete':
      return { result: 'done', after: undefined };
    case 'get':
      return { result: content ?? 'KUR_STORE_NOT_FOUND', after: content };
  }
}
