import { SHARED_FOLDER } from '../machines/machine.ts';

/**
 * Shell functions that give a containerd layers of the store as snapshots of its own. Where a snapshot's files would be
 * there is a link to those of the store, which overlayfs follows when it mounts them below a container's own. The store is
 * read-only here, so nobody writes through it. Such a snapshot takes no room, and is not collected as garbage.
 *
 * A snapshot of that name that is there already has the same content: it is called by its digest.
 */
export const linking = `
k8s() { "$ctr" --namespace k8s.io "$@"; }
link_layers() {
  token=$1 parent=; shift
  for chain in "$@"; do
    if ! k8s snapshots info "$chain" >/dev/null 2>&1; then
      key="link-$token-$chain"
      mounts=$(k8s snapshots prepare --target / "$key" $parent)
      case $mounts in
        *upperdir=*) files=\${mounts#*upperdir=} files=\${files%%,*} ;;
        *) files=\${mounts#*-t bind } files=\${files%% *} ;;
      esac
      rmdir "$files"
      ln -s "${SHARED_FOLDER}/$(printf %s "$chain" | tr : -)/fs" "$files"
      # Somebody may have been quicker by a moment: then theirs is it.
      k8s snapshots commit "$chain" "$key" || { k8s snapshots info "$chain" >/dev/null; k8s snapshots remove "$key"; }
    fi
    parent=$chain
  done
}
`;
