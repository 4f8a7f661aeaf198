import { readFile } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { isRecord, listAt, textAt, type KubeObject } from '#pkg/object';
import { IN_USE_LABEL } from '#pkg/usage';
import { Client, type Reply, type Target } from './client.ts';
import { localInstall, type LocalInstall, type Replica } from './local-install.ts';
import { definition, namespace } from './objects.ts';

const KINDS = ['configmaps', 'gadgets.test.example.com', 'widgets.test.example.com'];
const WAIT = { timeout: 40_000, interval: 100 };

/** A control plane with rook-deps at work, and what the scenarios of a file do with it. */
export class Scene {
  readonly install: LocalInstall;
  readonly client: Client;
  #replica: Replica | undefined;

  private constructor(install: LocalInstall) {
    this.install = install;
    this.client = new Client(install.plane);
  }

  static async open(controllerArgs: readonly string[] = []): Promise<Scene> {
    const install = await localInstall({ kinds: KINDS });
    const scene = new Scene(install);
    await scene.make(
      definition('Gadget', 'Cluster', ['v1']),
      definition('Widget', 'Namespaced', ['v1', 'v1beta1']),
    );
    await scene.startController(controllerArgs);
    return scene;
  }

  async close(): Promise<void> {
    const { process: child, log } = this.#replica ?? {};
    const isDead = child && (child.exitCode !== null || child.signalCode !== null);
    if (log && (isDead || process.env['SHOW_LOG'])) process.stderr.write(await readFile(log, 'utf8'));
    await this.install.end();
  }

  /** The one at work. */
  get replica(): Replica {
    if (!this.#replica) throw new Error('the controller has not been started');
    return this.#replica;
  }

  async startController(extraArgs: readonly string[] = []): Promise<void> {
    this.#replica = await this.install.start(extraArgs);
    await this.install.route(this.#replica);
  }

  /** Without a chance to finish anything. */
  async killController(): Promise<void> {
    if (this.#replica) await this.install.stop(this.#replica, 'SIGKILL');
  }

  /** Another one, which need not wait until the lease of the one that was killed runs out. */
  async restartController(extraArgs: readonly string[] = []): Promise<void> {
    const lease = ['lease', 'rook-deps', '-n', 'rook-deps-system', '--ignore-not-found'];
    await this.install.kubectl(['delete', ...lease]);
    await this.startController(extraArgs);
  }

  /** Makes objects in their order. A kind that is just being defined, or a webhook just routed, takes a moment. */
  async make(...objects: readonly Target[]): Promise<void> {
    for (const object of objects) {
      await vi.waitFor(async () => {
        const { status, message } = await this.client.create(object);
        if (status !== 409) expectEqual({ status, message }, { status: 201, message: '' });
      }, WAIT);
    }
  }

  async namespace(name: string): Promise<string> {
    await this.make(namespace(name));
    return name;
  }

  async untilReady(usage: Target): Promise<KubeObject> {
    return this.untilReason(usage, 'Available');
  }

  async untilReason(usage: Target, reason: string): Promise<KubeObject> {
    return vi.waitFor(async () => {
      const object = await this.client.read(usage);
      expectEqual(textAt(readyOf(object), 'reason'), reason);
      expectEqual(textAt(readyOf(object), 'status'), reason === 'Available' ? 'True' : 'False');
      return object as KubeObject;
    }, WAIT);
  }

  async untilGone(...targets: readonly Target[]): Promise<void> {
    await vi.waitFor(async () => {
      for (const target of targets) expectEqual(await this.client.read(target), undefined);
    }, WAIT);
  }

  async untilTerminating(target: Target): Promise<void> {
    await vi.waitFor(async () => {
      expectEqual(typeof (await this.client.read(target))?.metadata.deletionTimestamp, 'string');
    }, WAIT);
  }

  async untilMarked(target: Target, isMarked = true): Promise<void> {
    await vi.waitFor(async () => {
      const labels = (await this.client.read(target))?.metadata.labels ?? {};
      expectEqual(labels[IN_USE_LABEL], isMarked ? 'true' : undefined);
    }, WAIT);
  }

  async untilDeleted(target: Target): Promise<void> {
    await vi.waitFor(async () => {
      expectEqual((await this.client.delete(target)).status, 200);
    }, WAIT);
  }

  /** The deletion is refused, in the words of the webhook. */
  async refused(target: Target): Promise<Reply> {
    const reply = await this.client.delete(target);
    expectRefusal(reply);
    return reply;
  }

  /** In spite of every usage, as an administrator may. */
  async force(target: Target): Promise<void> {
    const annotations = { 'rook-deps.io/force-delete': 'the test wants it' };
    await this.client.patch(target, { metadata: { annotations } });
    expectEqual((await this.client.delete(target)).status, 200);
    await this.untilGone(target);
  }
}

export function expectRefusal({ status, message }: Reply): void {
  expect(message).toMatch(/admission webhook "[a-z-]+\.rook-deps\.io" denied the request: .* is in use by/);
  expect(status).toBe(409);
}

function expectEqual(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

function readyOf(usage: KubeObject | undefined): unknown {
  return listAt(usage, 'status', 'conditions').find(
    (condition) => isRecord(condition) && condition['type'] === 'Ready',
  );
}
