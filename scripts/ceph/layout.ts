/** Where each OSD is in the CRUSH map; its place in the list is its number. */
export interface OsdPlace {
  readonly zone: string;
  readonly host: string;
  /** Where it runs first, if its disk is a claim that goes with it to any node of the zone: CRUSH takes that for its host. */
  readonly node?: string;
}

export interface CephOptions {
  /** Three zones of one host with two OSDs each, unless said otherwise. */
  readonly osds?: readonly OsdPlace[];
  /** An object gateway, with an admin user of Rook's name. */
  readonly rgw?: boolean;
  /** A metadata server, and a filesystem of this name. */
  readonly filesystem?: string;
  /** After how many seconds a down OSD is marked out. */
  readonly downOutSeconds?: number;
}

export const THREE_ZONES: readonly OsdPlace[] = ['x', 'y', 'z'].flatMap((zone, index) => {
  const place = { zone: `zone-${zone}`, host: `node-${'abc'.charAt(index)}` };
  return [place, place];
});

/** The files and ports of one cluster. */
export interface CephLayout {
  readonly folder: string;
  readonly conf: string;
  readonly keyring: string;
  readonly fsid: string;
  readonly monPort: number;
  readonly rgwPort: number;
  readonly radosClasses: string;
  readonly osds: readonly OsdPlace[];
  readonly downOutSeconds: number;
}

export const RGW_NAME = 'client.rgw.test';
export const PG_NUM = 8;

/** Modules of the manager that no test needs: without them it takes half the memory. */
const UNUSED_MODULES =
  'alerts,cephadm,dashboard,diskprediction_local,feedback,influx,insights,iostat,k8sevents,localpool,' +
  'mds_autoscaler,mirroring,nfs,nvmeof,osd_perf_query,osd_support,prometheus,restful,rgw,rook,selftest,smb,' +
  'snap_schedule,stats,telegraf,test_orchestrator,zabbix';

/** All settings of a cluster: small, quick to tell what happens, and on loopback alone. */
export function configuration(layout: CephLayout): string {
  return [
    globalSection(layout),
    monSection(layout),
    mgrSection(layout),
    osdSection(layout),
    mdsSection(layout),
    rgwSection(layout),
    ...layout.osds.map(
      ({ zone, host }, id) =>
        `[osd.${id}]\nhost = ${host}\ncrush location = root=default zone=${zone} host=${host}\n`,
    ),
  ].join('\n');
}

function globalSection({ folder, fsid, keyring, monPort }: CephLayout): string {
  return `[global]
fsid = ${fsid}
mon host = [v2:127.0.0.1:${monPort}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr1 = false
ms async op threads = 2
auth allow insecure global id reclaim = false
keyring = ${keyring}
run dir = ${folder}/asok
admin socket = ${folder}/asok/$name.$pid.asok
crash dir = ${folder}/log
log file = ${folder}/log/$name.log
log to stderr = false
log flush on exit = false
mon cluster log file = ${folder}/log/cluster.log
# The monitor judges by its own copy of the grace, so it belongs here and not to the OSDs.
osd heartbeat interval = 1
osd heartbeat grace = 6
`;
}

function monSection({ folder, downOutSeconds }: CephLayout): string {
  return `[mon]
mon data = ${folder}/mon
mon initial members = a
mon allow pool delete = true
mon data avail warn = 2
mon data avail crit = 1
mon osd down out interval = ${downOutSeconds}
# By default a cluster of three OSDs never marks one out.
mon osd min in ratio = 0.3
mon tick interval = 1
# Each change of a map would wait up to a second to be joined with others.
paxos propose interval = 0.1
paxos min wait = 0.01
# Zones, by the number of their type: a pool that a manager makes, when it likes, is spread as the others are.
osd crush chooseleaf type = 9
osd pool default size = 3
osd pool default min size = 2
osd pool default pg num = ${PG_NUM}
osd pool default pgp num = ${PG_NUM}
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
mgr initial modules =
`;
}

function mgrSection({ folder }: CephLayout): string {
  return `[mgr]
mgr data = ${folder}/mgr
mgr stats period = 1
mgr tick period = 1
mgr disabled modules = ${UNUSED_MODULES}
`;
}

function osdSection({ folder, radosClasses }: CephLayout): string {
  return `[osd]
osd data = ${folder}/osd.$id
osd objectstore = memstore
# A fast shutdown would not write the content of a memstore to disk: the OSD would come back empty.
osd fast shutdown = false
memstore device bytes = 1073741824
osd memory target = 939524096
osd op num shards = 1
osd op num threads per shard = 2
osd mclock skip benchmark = true
osd max backfills = 4
osd recovery sleep = 0
osd recovery delay start = 0
osd class dir = ${radosClasses}
`;
}

function mdsSection({ folder }: CephLayout): string {
  return `[mds]
mds data = ${folder}/mds
mds cache memory limit = 67108864
`;
}

function rgwSection({ rgwPort }: CephLayout): string {
  return `[${RGW_NAME}]
rgw frontends = beast endpoint=127.0.0.1:${rgwPort} tcp_nodelay=1
rgw thread pool size = 16
rgw num rados handles = 1
rgw run sync thread = false
rgw override bucket index max shards = 1
rgw gc max objs = 8
rgw lc max objs = 8
rgw num control oids = 1
rgw max concurrent requests = 64
`;
}
