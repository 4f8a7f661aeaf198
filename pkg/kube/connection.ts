/** All that is needed to talk to one API server as one user. Holds secrets: never print it. */
export interface Connection {
  /** Scheme, host, port and, behind some gateways, a path; no trailing slash. */
  readonly server: string;
  readonly namespace: string;
  readonly tls: ServerTls;
  readonly user: UserCredentials;
  readonly impersonation: Impersonation | undefined;
  /** As configured; the proxies of the environment are looked up when connecting. */
  readonly proxyUrl: string | undefined;
  /** For one request; 0 is no limit. */
  readonly requestTimeoutMs: number;
  readonly disableCompression: boolean;
  /** Proxies and credential plugins read it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How the server proves who it is. */
export interface ServerTls {
  /** PEM; the machine's own authorities when absent. */
  readonly ca: string | undefined;
  readonly insecure: boolean;
  readonly serverName: string | undefined;
}

/** How we prove who we are; a plain-text server is told nothing. */
export interface UserCredentials {
  readonly name: string;
  readonly token?: string | undefined;
  /** Read again from time to time, and preferred to `token` while readable. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly exec?: ExecPlugin | undefined;
  readonly authProvider?: AuthProvider | undefined;
}

/** A program that prints an ExecCredential. */
export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  readonly installHint: string | undefined;
  /** What the plugin is told of the cluster, if it asked for it. */
  readonly cluster: Readonly<Record<string, unknown>> | undefined;
}

/** A login built into the client: only `oidc` is left of them. */
export interface AuthProvider {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
  /** The kubeconfig that renewed tokens are written back to. */
  readonly origin: string;
}

/** Whom to act as. */
export interface Impersonation {
  readonly user: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
