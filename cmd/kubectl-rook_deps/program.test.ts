import { describe, expect, test } from 'vitest';
import { run } from '#test/fakes/program.ts';
import { COMMANDS } from './program.ts';

describe('help', () => {
  test.for(['', '--help', '-h', 'help', '-n x'])('of the program is printed for "%s"', async (line) => {
    const { code, out, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const { name, summary } of COMMANDS.filter(({ isHidden }) => !isHidden))
      expect(out).toMatch(new RegExp(`\\n  ${name} +${summary.slice(0, 20)}`));
  });

  const forms = COMMANDS.flatMap(({ name }) => [
    `${name} --help`,
    `${name} -h`,
    `help ${name}`,
    `-h ${name}`,
  ]);
  test.for(forms)('of a command is printed for "%s"', async (line) => {
    const { code, out, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const name = line.split(' ').find((word) => COMMANDS.some((command) => command.name === word));
    expect(out).toContain(`\nUsage:\n  kubectl rook-deps ${name} `);
    expect(out).toContain('\nExamples:\n  # ');
  });

  test('has the summary of each command only once, in both places', async () => {
    for (const entry of COMMANDS) {
      const { name, summary } = await entry.load();
      expect({ name, summary }).toEqual({ name: entry.name, summary: entry.summary });
    }
  });

  test('of why reads as agreed', async () => {
    await expect((await run('why --help')).out).toMatchFileSnapshot(
      '../../test/fixtures/golden/help-why.txt',
    );
  });

  test('of the options lists the connection flags of kubectl', async () => {
    const { out } = await run('options');
    for (const flag of ['--kubeconfig', '--context', '-n, --namespace', '--as', '--request-timeout']) {
      expect(out).toMatch(new RegExp(`\\n    ${flag}=`));
    }
  });
});

describe('the command', () => {
  test('may come after its flags', async () => {
    for (const line of [
      '-o json version --client',
      '--output=json version --client',
      '-n x -o json version --client',
    ]) {
      expect(JSON.parse((await run(line)).out)).toMatchObject({ clientVersion: {} });
    }
  });

  test('may come after a flag that takes no value', async () => {
    expect((await run('--client version')).out).toMatch(/^Client Version: v/);
  });

  test('that does not exist is refused, with the one that was meant', async () => {
    expect(await run('wyh')).toEqual({
      code: 1,
      out: '',
      err: 'error: unknown command "wyh" for "kubectl rook-deps"\n\nDid you mean this?\n\twhy\n',
    });
  });

  test('that resembles none is refused with a hint to the help', async () => {
    const { code, err } = await run('frobnicate');
    expect(code).toBe(1);
    expect(err).toContain(`See 'kubectl rook-deps --help' for usage.`);
    expect(err).not.toContain('Did you mean');
  });

  test('refuses a flag it does not know by its own name', async () => {
    expect(await run('explain --from x')).toEqual({
      code: 1,
      out: '',
      err: `error: unknown flag: --from\nSee 'kubectl rook-deps explain --help' for usage.\n`,
    });
  });
});

describe('explain', () => {
  test('prints the page of a code, however it is written', async () => {
    const { out } = await run('explain rd013');
    expect(out).toMatch(/^RD013 {2}/);
    expect((await run('explain RD001 RD002')).out).toMatch(/^RD001 [^]*\n\nRD002 /);
  });

  test('lists all codes', async () => {
    expect((await run('explain')).out).toMatch(/^CODE +MEANING\nRD001 /);
  });

  test('refuses what is no code', async () => {
    expect(await run('explain RD999')).toMatchObject({ code: 1, out: '' });
  });
});

test('version --client prints nothing but the version, and asks no server', async () => {
  expect(await run('version --client')).toEqual({ code: 0, out: 'Client Version: v0.0.0-source\n', err: '' });
});

test('version without a server prints its own version before it fails', async () => {
  const { code, out } = await run('version --server http://127.0.0.1:1');
  expect({ code, out }).toEqual({ code: 1, out: 'Client Version: v0.0.0-source\n' });
});
