/** Layers for a network, which is slower than the processor: the same content, compressed, with the same bytes each time. */
import { createWriteStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { blobOfBytes, MEDIA_TYPE } from '@kurator/registry';
import type { Reporter } from '../../reporter.ts';
import { cachedLayer, type Layer } from './layer.ts';

/** Higher levels take twice as long for the Node runtime, and save half a percent. */
const LEVEL = 6;
/** Compressing a larger one takes long enough to keep the result. */
const LARGEST_IN_MEMORY = 16 * 1024 * 1024;

/** One that is compressed already stays as it is. */
export async function gzipLayer(layer: Layer, reporter: Reporter, signal?: AbortSignal): Promise<Layer> {
  if (layer.mediaType !== MEDIA_TYPE.layer) return layer;
  const { diffId, blob } = layer;
  if (blob.size <= LARGEST_IN_MEMORY) {
    const bytes = gzipSync(await buffer(blob.read()), { level: LEVEL });
    return { mediaType: MEDIA_TYPE.layerGzip, diffId, blob: blobOfBytes(bytes) };
  }
  const title = 'Compressing the Node runtime';
  const make = async (file: string) => {
    let read = 0;
    const count = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        read += chunk.byteLength;
        reporter.progress(title, read / blob.size);
        yield chunk;
      }
    };
    const output = createWriteStream(file, { flags: 'wx' });
    await pipeline(blob.read(), count, createGzip({ level: LEVEL }), output, signal ? { signal } : {});
    reporter.progress(title, 1);
  };
  const key = `gzip-${LEVEL}-${diffId.slice('sha256:'.length, 32)}`;
  const compressed = await cachedLayer({ key, title, make }, reporter, signal);
  return { mediaType: MEDIA_TYPE.layerGzip, diffId, blob: compressed.blob };
}
