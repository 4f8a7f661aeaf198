/** The connection flags of kubectl, each as typed; an absent or empty one leaves the kubeconfig's value. */
export interface ConnectionFlags {
  readonly kubeconfig?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroup?: readonly string[] | undefined;
  /** Each `key=value`; a key may come several times. */
  readonly asUserExtra?: readonly string[] | undefined;
  /** Whole seconds, or a Go duration such as `1m30s`; `0` is no limit. */
  readonly requestTimeout?: string | undefined;
  readonly disableCompression?: boolean | undefined;
  readonly proxyUrl?: string | undefined;
}
