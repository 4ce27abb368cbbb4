import { execFile, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseDocument } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { launchdPlist, systemdUnit, windowsArgument, windowsTask } from '../../../src-main/hosts/node/serviceFiles.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { needs } from '../../helpers/programs.mjs'
import { commandLine, gather, studioEntry } from './fixtures/process.ts'
import { testCommandLine } from './fixtures/testCommandLine.ts'

const folder = temporaryFolder('studio-service-')
/** Everything that one of the three formats could take for its own. */
const odd = ['a b', 'c"d', "e'f", 'g\\h', 'i%j', '$HOME', '$$', '&<l>', 'm\nn', '-', '']
const command = {
  program: '/opt/a b/node',
  args: ['/opt/studio.mjs', 'serve', ...odd],
  env: { A: 'b c%h "$d"', E: '' },
}

interface XmlNode {
  name?: string
  data?: string
  children?: XmlNode[]
}
const elements = (text: string): XmlNode[] => parseDocument(text, { xmlMode: true }).children as XmlNode[]
const textOf = ({ data, children = [] }: XmlNode): string => data ?? children.map(textOf).join('')
const named = (all: XmlNode[], name: string): XmlNode[] =>
  all.flatMap((one) => [...(one.name === name ? [one] : []), ...named(one.children ?? [], name)])
/** The value of a plist as JSON. */
function plistValue(one: XmlNode): unknown {
  const inside = (one.children ?? []).filter(({ name }) => name !== undefined)
  if (one.name === 'array') return inside.map(plistValue)
  if (one.name !== 'dict') return one.name === 'true' || one.name === 'false' ? one.name === 'true' : textOf(one)
  return Object.fromEntries(
    inside.flatMap((key, at) => (key.name === 'key' ? [[textOf(key), plistValue(inside[at + 1] ?? {})]] : [])),
  )
}

describe('the systemd unit', () => {
  /** What systemd says about a unit. Anything that it does not understand is a line, with the exit code 0 or 1. */
  function verified(unit: string): string {
    const path = join(mkdtempSync(join(folder, 'unit-')), 'inference-studio.service')
    writeFileSync(path, unit)
    const env = { PATH: process.env.PATH ?? '', XDG_RUNTIME_DIR: folder, HOME: folder }
    return spawnSync('systemd-analyze', ['--user', 'verify', path], { env, encoding: 'utf8' }).stderr
  }

  it('is accepted by systemd, with every odd argument', needs('systemd'), () => {
    expect(verified(systemdUnit({ ...command, program: process.execPath }))).toBe('')
  })

  it('is accepted by systemd, with odd characters in the path of the program', needs('systemd'), () => {
    const place = mkdtempSync(join(folder, 'a $HOME %h $$ $b %% '))
    const program = join(place, 'node')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    expect(verified(systemdUnit({ ...command, program }))).toBe('')
  })

  it('restarts after failures, is told when it is ready, and has the restrictions', () => {
    const lines = systemdUnit(command).split('\n')
    for (const line of ['Type=notify', 'NotifyAccess=all', 'Restart=on-failure', 'NoNewPrivileges=yes', 'UMask=0077'])
      expect(lines).toContain(line)
    expect(lines.find((line) => line.startsWith('ExecStart='))).toBe(
      String.raw`ExecStart="/opt/a b/node" "/opt/studio.mjs" "serve" "a b" "c\"d" "e'f" "g\\h" "i%%j" "$$HOME" "$$$$" "&<l>" "m\nn" "-" ""`,
    )
    expect(lines).toContain(String.raw`Environment="A=b c%%h \"$d\""`)
  })
})

describe('the launchd agent', () => {
  it('is a property list with the same arguments, whatever is in them', () => {
    const [root] = named(elements(launchdPlist(command, '/Users/a & b/log')), 'dict')
    expect(plistValue(root ?? {})).toMatchObject({
      Label: 'app.inference-studio',
      ProgramArguments: [command.program, ...command.args],
      EnvironmentVariables: command.env,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      StandardErrorPath: '/Users/a & b/log',
    })
  })
})

describe('the task of Windows', () => {
  /** The words of a command line as the C runtime of Windows has them ("Parsing C command-line arguments"). */
  const split = (line: string): string[] =>
    (line.match(/"(?:[^"\\]|\\+[^"\\]|(?:\\\\)*\\")*(?:\\\\)*"|[^\s"]+/g) ?? []).map((word) =>
      word.startsWith('"')
        ? word
            .slice(1, -1)
            .replaceAll(/(\\+)("|$)/g, (_, slashes: string, end: string) => slashes.slice(0, slashes.length / 2) + end)
        : word,
    )

  it('has the same arguments, whatever is in them', () => {
    const task = elements(windowsTask(command, 'PC\\me'))
    expect(named(task, 'Command').map(textOf)).toEqual([command.program])
    expect(split(named(task, 'Arguments').map(textOf).join())).toEqual(command.args)
    expect(named(task, 'UserId').map(textOf)).toEqual(['PC\\me', 'PC\\me'])
  })

  it.each(['C:\\a b\\', 'a\\\\"b', '\\', '"', 'plain'])('keeps the argument %s', (word) => {
    expect(split(windowsArgument(word))).toEqual([word])
  })
})

describe.runIf(process.platform === 'linux')('service', () => {
  const test = testCommandLine()
  /** A systemctl that notes how it was called, and fails as asked. */
  function withSystemctl(exitCode = 0, words = ''): { env: Record<string, string>; calls(): string[] } {
    const bin = mkdtempSync(join(folder, 'bin-'))
    const notes = join(bin, 'notes')
    writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$*" >> '${notes}'\necho '${words}' >&2\nexit ${exitCode}\n`)
    chmodSync(join(bin, 'systemctl'), 0o755)
    return {
      env: { PATH: `${bin}:/usr/bin:/bin`, XDG_CONFIG_HOME: join(bin, 'config') },
      calls: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []),
    }
  }

  it('install writes the unit and starts it, status and uninstall speak to systemd, and uninstall leaves no file', async () => {
    const { env, calls } = withSystemctl()
    const path = join(env.XDG_CONFIG_HOME ?? '', 'systemd/user/inference-studio.service')
    expect((await test.run(['service', 'status', '--json'], env)).stdout).toContain('"installed":false')
    const keys = { ...env, INFERENCE_STUDIO_KEY_FILE: '/srv/x/../keys', INFERENCE_STUDIO_API_KEY: 'sk-canary-88' }
    const installed = await test.run(['service', 'install', '--', '--no-web', '--api-port', '9000'], keys)
    expect([installed.code, installed.stdout]).toEqual([0, expect.stringContaining(`Wrote ${path}.`)])
    const unit = readFileSync(path, 'utf8')
    expect(unit).toMatch(/^ExecStart=.*inference-studio\.mjs" "serve" "--no-web" "--api-port" "9000"$/m)
    expect(unit).toContain('Environment="INFERENCE_STUDIO_KEY_FILE=/srv/keys"')
    // A secret of the environment is not written to a file.
    expect(unit).not.toContain('sk-canary-88')
    const status = await test.run(['service', 'status', '--json'], env)
    expect([status.code, JSON.parse(status.stdout)]).toEqual([0, { installed: true, running: true, path }])
    expect((await test.run(['service', 'uninstall', '--json'], env)).stdout).toContain('"uninstalled":true')
    expect(existsSync(path)).toBe(false)
    expect(calls()).toEqual([
      '--user daemon-reload',
      '--user enable inference-studio.service',
      '--user restart inference-studio.service',
      '--user is-active --quiet inference-studio.service',
      '--user disable --now inference-studio.service',
      '--user daemon-reload',
    ])
    expect((await test.run(['service', 'uninstall', '--json'], env)).stdout).toContain('"uninstalled":false')
  })

  it('says what systemd said when it refuses, and what is missing where there is none', async () => {
    const { env } = withSystemctl(1, 'Failed to connect to bus: No medium found')
    const refused = await test.run(['service', 'install'], env)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Failed to connect to bus')])
    const empty = mkdtempSync(join(folder, 'empty-'))
    mkdirSync(join(empty, 'bin'))
    const missing = await test.run(['service', 'install'], { PATH: join(empty, 'bin'), XDG_CONFIG_HOME: empty })
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('systemctl is not on this computer')])
  })

  it('install --print prints the unit and changes nothing', async () => {
    const { env, calls } = withSystemctl()
    const { code, stdout } = await test.run(['service', 'install', '--print'], env)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\[Unit\]\n/)])
    expect([calls(), existsSync(env.XDG_CONFIG_HOME ?? '')]).toEqual([[], false])
  })
})

describe('serve under systemd', () => {
  const test = testCommandLine()

  it(
    'tells systemd when it is ready and when it stops, and started programs do not have the socket',
    needs('systemd'),
    async () => {
      const socket = join(mkdtempSync(join(folder, 's-')), 'n')
      // Node has no datagram sockets with paths, so perl listens as systemd would.
      const script = `use IO::Socket::UNIX; use Socket; $| = 1; my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die $!;
      print "listening\\n"; while (1) { $s->recv(my $d, 65536); $d =~ s/\\n/ /g; print "$d\\n" }`
      const listener = spawn('perl', ['-e', script, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
      let heard = ''
      listener.stdout.setEncoding('utf8').on('data', (piece: string) => {
        heard += piece
      })
      try {
        await expect.poll(() => heard).toContain('listening')
        const { child, line, ended } = test.start(
          ['serve', '--sandbox', '--json', '--web-port', '0', '--api-port', '0', '--data-dir', test.dataDir],
          { NOTIFY_SOCKET: socket },
        )
        await line()
        await expect.poll(() => heard, { timeout: 10_000 }).toContain('READY=1')
        expect(heard).not.toContain('STOPPING=1')
        child.kill('SIGTERM')
        expect((await ended).code).toBe(0)
        await expect.poll(() => heard).toContain('STOPPING=1')
      } finally {
        listener.kill()
      }
    },
  )

  it('starts all the same when systemd-notify is missing, and warns', async () => {
    const { start } = commandLine(studioEntry, {
      HOME: test.home,
      TMPDIR: test.home,
      PATH: '/nowhere',
      NOTIFY_SOCKET: '/nowhere/n',
    })
    const { child, line, ended } = start([
      'serve',
      '--sandbox',
      '--json',
      '--web-port',
      '0',
      '--api-port',
      '0',
      '--data-dir',
      test.dataDir,
    ])
    await line()
    child.kill('SIGTERM')
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([0, expect.stringMatching(/warn: systemd could not be told/)])
  })

  it.runIf(process.platform !== 'win32')(
    'prints the token of the page to a program that reads a pipe, and not to a file or the journal, which store it',
    needs('posix'),
    async () => {
      const args = ['serve', '--sandbox', '--json', '--web-port', '0', '--no-api', '--data-dir', test.dataDir]
      const file = join(test.home, 'ready')
      const run = (script: string) => {
        const child = spawn('sh', ['-c', script, process.execPath, studioEntry, ...args], {
          env: { PATH: process.env.PATH ?? '', HOME: test.home, TMPDIR: test.home, FILE: file },
          stdio: 'pipe',
        })
        return gather(child)
      }
      const urlOf = (line: string): string => JSON.parse(line).web.url
      const piped = run('exec "$0" "$@"')
      expect(urlOf(await piped.line())).toMatch(/#token=[\w-]{43}$/)
      piped.child.kill('SIGTERM')
      await piped.ended
      // The journal is known by the inode of the descriptor, which only a shell learns before the program starts.
      const journal = run('export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/$$/fd/1); exec "$0" "$@"')
      if (process.platform === 'linux') expect(urlOf(await journal.line())).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      journal.child.kill('SIGTERM')
      await journal.ended
      const stored = run('exec "$0" "$@" >"$FILE"')
      await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 60_000 }).toMatch(/\n$/)
      expect(urlOf(readFileSync(file, 'utf8'))).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      stored.child.kill('SIGTERM')
      await stored.ended
    },
  )

  it('logs one event a line: with priorities to the journal, and as JSON when asked', async () => {
    const dataDir = join(test.dataDir, 'not a folder')
    writeFileSync(dataDir, '')
    const failing = ['serve', '--data-dir', dataDir]
    const json = await test.run([...failing, '--log', 'json'])
    const events = json.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events).toEqual([
      { time: expect.stringMatching(/Z$/), level: 'error', message: expect.stringContaining('not a folder') },
    ])
    if (process.platform === 'win32') return
    // A shell is the only way to know the inode of standard error before the program starts.
    const script = 'exec 2>"$0"; JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) exec "$@"'
    const file = join(test.home, 'journal')
    await promisify(execFile)('sh', ['-c', script, file, process.execPath, studioEntry, ...failing], {
      env: { PATH: process.env.PATH, HOME: test.home },
    }).catch(() => undefined)
    expect(readFileSync(file, 'utf8')).toMatch(/^<3>[^\n]*not a folder[^\n]*\n$/)
  })
})
