/** How to reach one API server, and as whom. Plain data: from a kubeconfig, or written by hand. */
export interface ClientConfig {
  /** For example `https://127.0.0.1:6443`; a path in it is put before every request's path. */
  readonly server: string;
  /** PEM of the authorities that may have signed the server's certificate; the system's when left out. */
  readonly ca?: string;
  /** PEM of the client's certificate (chain); needs `key`. */
  readonly cert?: string;
  /** PEM of the client certificate's private key. */
  readonly key?: string;
  /** Bearer token. */
  readonly token?: string;
  /** The name to expect in the server's certificate, where it differs from the address. */
  readonly tlsServerName?: string;
  /** Accepts any server certificate. For experiments only: whoever is in between can read the credentials. */
  readonly insecureSkipTlsVerify?: boolean;
  /** The namespace that the kubeconfig's context names. The client itself never assumes a namespace. */
  readonly namespace?: string;
}
