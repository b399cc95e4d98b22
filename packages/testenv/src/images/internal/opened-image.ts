import type { Blob, OciConfig } from '@kurator/registry';
import type { Layer } from './layer.ts';

/** One image of an archive; its layers stay on disk. */
export interface OpenedImage {
  /** As the archive says it, which may be short; undefined if it says none. */
  name: string | undefined;
  /** Those of its entry in the archive's own index; none for an image inside a further index. */
  annotations: Record<string, string>;
  /** Of the manifest. */
  digest: string;
  manifest: { mediaType: string; blob: Blob };
  config: { mediaType: string; blob: Blob; value: OciConfig };
  /** In the order of `config.value.rootfs.diff_ids`. */
  layers: Layer[];
}
