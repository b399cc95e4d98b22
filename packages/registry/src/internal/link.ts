/** The next page of a list: the header `Link` (RFC 8288). Pure. */

/**
 * Where the next page is; undefined on the last one. Always at the host that was asked: a list does not go on elsewhere, and behind a
 * proxy some registries write a name and scheme that only they know.
 */
export function nextPage(headers: readonly string[], current: URL): URL | undefined {
  for (const header of headers) {
    for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>([^,<]*)/g)) {
      if (!/;\s*rel\s*=\s*"?next"?\s*(;|$)/i.test(parameters)) continue;
      const { pathname = '', search = '' } = URL.parse(target ?? '', current.href) ?? {};
      return new URL(`${pathname}${search}`, current.origin);
    }
  }
  return undefined;
}
