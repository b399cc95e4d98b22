import { type ReadSecret, SinkError } from './sink.ts';

/** A URL that stands in the channel, or in a Secret, since it may be one. */
export async function addressOf(
  { url, urlFrom }: { url?: string | undefined; urlFrom?: { name: string; key: string } | undefined },
  secret: ReadSecret,
): Promise<string> {
  if (url !== undefined) return url;
  if (urlFrom) return await secret(urlFrom);
  throw new SinkError('the channel has neither url nor urlFrom');
}
