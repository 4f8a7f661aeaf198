/**
 * A real Kubernetes control plane for tests and benchmarks: the programs, how they are started, and the definitions
 * of Rook and its neighbours.
 */
export { ensureBinaries, type Binaries } from './binaries.ts';
export { Children, ServerEnded } from './children.ts';
export { startControlPlane, type ControlPlane, type ControlPlaneOptions } from './control-plane.ts';
export { crdFiles, type CrdFiles } from './crds.ts';
export { freePort } from './free-port.ts';
export { goTool, type GoTool } from './go-tool.ts';
export { installCrds } from './install-crds.ts';
export { output, run, type Finished, type RunOptions } from './process.ts';
export { get, send, type Access, type Answer } from './request.ts';
export { Unavailable } from './unavailable.ts';
