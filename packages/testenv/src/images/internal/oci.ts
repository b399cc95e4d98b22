/** What this package writes into images beyond what a registry needs to know. */

/** containerd takes the image's name from here, word for word; so it has to be the full one. */
export const NAME_ANNOTATION = 'io.containerd.image.name';
/** Where other tools look: a bare tag, or a full name (buildah, skopeo). */
export const REF_ANNOTATION = 'org.opencontainers.image.ref.name';

/** The time on everything we write: the same input must give the same bytes. Not 1970, which zip and Python refuse. */
export const IMAGE_TIME = new Date('2000-01-01T00:00:00Z');
