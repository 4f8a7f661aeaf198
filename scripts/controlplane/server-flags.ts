import { join } from 'node:path';

/** The files of one control plane, all below one folder. */
export interface Layout {
  readonly folder: string;
  readonly etcdSocket: string;
  readonly certificates: string;
  readonly servingCertificate: string;
  readonly signingKey: string;
  readonly tokens: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly kubeconfig: string;
}

export function layoutIn(folder: string): Layout {
  return {
    folder,
    etcdSocket: join(folder, 'etcd.sock'),
    certificates: join(folder, 'certificates'),
    servingCertificate: join(folder, 'certificates/apiserver.crt'),
    signingKey: join(folder, 'service-account.key'),
    tokens: join(folder, 'tokens.csv'),
    auditPolicy: join(folder, 'audit-policy.json'),
    auditLog: join(folder, 'audit.jsonl'),
    kubeconfig: join(folder, 'kubeconfig'),
  };
}

/** What is audited: every request once, when it is answered; not what the API server asks of itself. */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'None', users: ['system:apiserver'] }, { level: 'Metadata' }],
};

/** On Unix sockets: no port to lose to somebody else, and no other run's apiserver can take this etcd for its own. */
export function etcdFlags({ folder, etcdSocket }: Layout): string[] {
  // An advertised address must look like host:port; as a socket it is a file of that name in the working folder.
  const peer = 'unix://peer:1';
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=unix://${etcdSocket}`,
    '--advertise-client-urls=unix://client:1',
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    // In ms. There is nobody to wait for: the only member elects itself.
    '--heartbeat-interval=20',
    '--election-timeout=100',
    '--log-level=warn',
  ];
}

export function apiserverFlags(
  layout: Layout,
  port: number,
  {
    audit,
    controllerManager,
    keepsWorkloads = false,
  }: { readonly audit: boolean; readonly controllerManager: boolean; readonly keepsWorkloads?: boolean },
): string[] {
  return [
    `--etcd-servers=unix://${layout.etcdSocket}`,
    `--cert-dir=${layout.certificates}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${layout.signingKey}`,
    `--service-account-signing-key-file=${layout.signingKey}`,
    `--token-auth-file=${layout.tokens}`,
    '--authorization-mode=RBAC,Node',
    '--allow-privileged=true',
    // It demands a service account for each pod: nobody makes the default ones, nor those that an example names.
    ...(controllerManager && !keepsWorkloads ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ...(audit ? auditFlags(layout) : []),
  ];
}

function auditFlags({ auditPolicy, auditLog }: Layout): string[] {
  return [
    `--audit-policy-file=${auditPolicy}`,
    `--audit-log-path=${auditLog}`,
    '--audit-log-mode=blocking',
    // In MB. Zero means 100, and a rotated log would be read as an empty one.
    '--audit-log-maxsize=100000',
  ];
}

/** They would make pods, delete those without a node, and judge volumes that nobody provisioned. */
const KEEPERS_OF_WORKLOADS = [
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'job-controller',
  'node-lifecycle-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'statefulset-controller',
  'taint-eviction-controller',
];

export function controllerManagerFlags(
  { kubeconfig, signingKey, servingCertificate }: Layout,
  keepsWorkloads: boolean,
): string[] {
  return [
    ...(keepsWorkloads
      ? [`--controllers=*,${KEEPERS_OF_WORKLOADS.map((name) => `-${name}`).join(',')}`]
      : []),
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${signingKey}`,
    `--root-ca-file=${servingCertificate}`,
    '--use-service-account-credentials=true',
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
  ];
}
