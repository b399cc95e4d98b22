/** How to reach one API server, and as whom. Plain data: from a kubeconfig, from the pod we run in, or written by hand. */
export interface ClientConfig {
  /** For example `https://127.0.0.1:6443`; a path in it is put before every request's path. */
  readonly server: string;
  /** PEM of the authorities that may have signed the server's certificate; the system's when left out. */
  readonly ca?: string;
  /** The file that `ca` comes from: read again when it changes. */
  readonly caFile?: string;
  /** PEM of the client's certificate (chain); needs `key`. */
  readonly cert?: string;
  /** The file that `cert` comes from: read again when it changes. */
  readonly certFile?: string;
  /** PEM of the client certificate's private key. */
  readonly key?: string;
  /** The file that `key` comes from: read again when it changes. */
  readonly keyFile?: string;
  /** Bearer token. */
  readonly token?: string;
  /** A file with the bearer token, read again when it changes; wins over `token`. */
  readonly tokenFile?: string;
  /** A program that gives a token or a client certificate, and is asked again before they expire. */
  readonly exec?: ExecPlugin;
  /** Whom to act as. The API server must allow it: verb `impersonate`. */
  readonly impersonate?: Impersonation;
  /** The name to expect in the server's certificate, where it differs from the address. */
  readonly tlsServerName?: string;
  /** Accepts any server certificate. For experiments only: whoever is in between can read the credentials. */
  readonly insecureSkipTlsVerify?: boolean;
  /**
   * The proxy to go through: `http://`, `https://` or `socks5://`, with `user:password@` where it wants that. That of
   * HTTPS_PROXY, HTTP_PROXY and NO_PROXY unless given, by the rules of kubectl; the empty text for none.
   */
  readonly proxyUrl?: string;
  /** The namespace that the kubeconfig's context names. The client itself never assumes a namespace. */
  readonly namespace?: string;
}

/** Another identity than one's own. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A credential plugin of client.authentication.k8s.io: see "exec" in a kubeconfig's user. */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /** A program in $PATH, or the path of one. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Shown when the program isn't there. */
  readonly installHint?: string;
  /** Whether it may, or must, talk to a person at the terminal; `IfAvailable` unless given. */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
  /** Tells it the server's address and certificate authority. */
  readonly provideClusterInfo?: boolean;
  /** Passed on with the server's address, for the program's own use. */
  readonly clusterConfig?: unknown;
  /** Milliseconds that it may take; 60 s unless given. */
  readonly timeout?: number;
}
