/** The next page of a list: the header `Link` (RFC 8288). Pure. */

/**
 * Where the next page is; undefined on the last one, and where it leads to another place: a list of one registry does not go on
 * elsewhere.
 */
export function nextPage(headers: readonly string[], current: URL): URL | undefined {
  for (const header of headers) {
    for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>([^,<]*)/g)) {
      if (!/;\s*rel\s*=\s*"?next"?\s*(;|$)/i.test(parameters)) continue;
      const next = URL.parse(target ?? '', current.href);
      // Behind a proxy that ends TLS, some registries write their own scheme.
      if (next && next.host === current.host) return new URL(`${next.pathname}${next.search}`, current);
    }
  }
  return undefined;
}
