import { type Client, type Manifest, StorageClass } from '@kurator/client';

/** Who makes the volumes of a class, as StorageClasses and PersistentVolumes name it. */
export const provisionerName = 'kurator.dev/local';

/** Who wrote what this folder writes. */
export const fieldManager = 'kurator-volumes';

/** The class that claims get when they name none. Volumes are made where the first pod that needs them is scheduled. */
const standard: Manifest<StorageClass> = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: provisionerName,
  volumeBindingMode: 'WaitForFirstConsumer',
  reclaimPolicy: 'Delete',
  allowVolumeExpansion: false,
};

/** Makes sure that there is a default StorageClass. */
export async function applyStorageClass(client: Client): Promise<void> {
  await client.apply(StorageClass, standard, { fieldManager });
}
