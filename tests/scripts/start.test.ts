import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ZipFile } from 'yazl'
import { root } from '../../resources/scripts/ready.mjs'
import { temporaryFolder } from '../helpers/folders.ts'
import { needs } from '../helpers/programs.mjs'
import { follow, type RunningScript } from '../helpers/runningScript.ts'

// `npm start` with a program in Electron's place: a shell script that ends as Electron ends where it can't run. The download runs with the
// real @electron/get and the real install script of the package, from a server on loopback.

vi.setConfig({ testTimeout: 60_000 })

/** The start says other words to root, as whom these tests may run. Another user could not read their folders. */
const asOrdinaryUser = { NODE_OPTIONS: `--import=${encodeURI('data:text/javascript,process.getuid=()=>1000')}` }

const folders: string[] = []
const children = new Set<ChildProcess>()
const servers = new Set<Server>()

afterEach(async () => {
  for (const child of children) {
    children.delete(child)
    if (child.exitCode !== null || child.signalCode !== null) continue
    // Its own children may hold its output open.
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  for (const server of servers) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  servers.clear()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function write(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** An installed project without sources, whose web host prints its arguments and ends. */
function project(): string {
  const folder = temporaryFolder('studio-start-')
  folders.push(folder)
  cpSync(join(root, 'resources', 'scripts'), join(folder, 'resources', 'scripts'), { recursive: true })
  write(folder, {
    'package.json': '{"name":"fixture","type":"module"}',
    'package-lock.json': '{"packages":{}}',
    'node_modules/.package-lock.json': '{"packages":{}}',
    'out/main/node.js': `console.log(['web host', ...process.argv.slice(2)].join(' '))`,
  })
  return folder
}

/** Puts a script in the place of Electron's binary. */
function withElectron(script: string, interpreter = '/bin/sh'): string {
  const folder = project()
  write(folder, {
    'node_modules/electron/path.txt': 'electron',
    'node_modules/electron/dist/electron': `#!${interpreter}\n${script}\n`,
  })
  chmodSync(join(folder, 'node_modules/electron/dist/electron'), 0o755)
  return folder
}

function start(
  folder: string,
  env: NodeJS.ProcessEnv = {},
  args: string[] = [],
  options: Pick<SpawnOptions, 'detached'> = {},
): RunningScript {
  const child = spawn(process.execPath, [join(folder, 'resources/scripts/start.mjs'), ...args], {
    ...options,
    env: { ...process.env, DISPLAY: ':77', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return follow(child, children)
}

describe('npm start opens the web host with one line of reason where Electron', () => {
  it.each([
    [
      'refuses to run as root',
      `echo '[1:FATAL] Running as root without --no-sandbox is not supported.' >&2; exit 1`,
      /sandbox/,
    ],
    [
      'is stopped because the system has no sandbox',
      `echo '[2:FATAL:setuid_sandbox_host.cc(163)] The SUID sandbox helper binary was found, but is not configured.' >&2; kill -TRAP $$`,
      /sandbox/,
    ],
    [
      'lacks a system library',
      `echo 'electron: error while loading shared libraries: libgtk-3.so.0: cannot open shared object file' >&2; exit 127`,
      /the system library libgtk-3\.so\.0 is missing/,
    ],
    ['ends by SIGTRAP without a word', 'kill -TRAP $$', /ended with SIGTRAP before its first window/],
    [
      'ends with an error of its own',
      'echo first >&2; echo the last line >&2; exit 3',
      /exit code 3 .*: the last line/,
    ],
  ])('%s', async (_, script, reason) => {
    const started = start(withElectron(script), {}, ['--web-port', '0'])
    expect(await started.ended).toBe(0)
    expect(started.output()).toBe('web host serve --open --web-port 0\n')
    expect(started.errors()).toMatch(reason)
    expect(started.errors()).toMatch(/^Opening in the browser instead of a desktop window: [^\n]+\n/)
    // Other reasons have no advice.
    if (!String(reason).includes('sandbox')) expect(started.errors().trim().split('\n').length).toBe(1)
  })

  it('is a file that can’t be run', async () => {
    const folder = withElectron('')
    chmodSync(join(folder, 'node_modules/electron/dist/electron'), 0o644)
    const started = start(folder)
    expect(await started.ended).toBe(0)
    expect(started.output()).toBe('web host serve --open\n')
  })
})

/** What Chromium says on Ubuntu 23.10 and later. */
const refusesSandbox = `echo '[1:1128/0.1:FATAL:content/browser/zygote_host/zygote_host_impl_linux.cc:128] No usable sandbox! If you are running on Ubuntu 23.10+ or another Linux distro that has disabled unprivileged user namespaces with AppArmor, see https://chromium.googlesource.com/chromium/src/+/main/docs/security/apparmor-userns-restrictions.md.' >&2; kill -TRAP $$`

describe('npm start, where the system refuses the sandbox of Chromium,', () => {
  it(
    'opens the browser and prints commands that write an AppArmor profile for the real path of this clone',
    needs('posix'),
    async () => {
      const folder = withElectron(refusesSandbox)
      // The profile must name the program that runs, not a link to it.
      const linked = join(folder, "it's {linked}")
      symlinkSync(join(folder, 'node_modules/electron/dist'), linked)
      const started = start(folder, { ...asOrdinaryUser, ELECTRON_OVERRIDE_DIST_PATH: linked })
      expect(await started.ended).toBe(0)
      expect(started.output()).toBe('web host serve --open\n')
      const [reason, advice, ...lines] = started.errors().trim().split('\n')
      expect(reason).toBe(
        "Opening in the browser instead of a desktop window: this system does not allow Chromium's sandbox.",
      )
      expect(advice).toBe('On Ubuntu 23.10 and later, these two commands allow the window of this clone:')
      expect(lines.pop()).toBe(
        'In a container, or where nothing else is possible, "npm start -- --no-sandbox" opens the window without this protection.',
      )
      // `sudo` of this test prints its arguments and what it is given.
      const bin = join(folder, 'bin')
      write(folder, { 'bin/sudo': '#!/bin/sh\necho "sudo $*"\nif [ "$1" = tee ]; then cat; fi\n' })
      chmodSync(join(bin, 'sudo'), 0o755)
      const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
      const ran = execFileSync('sh', ['-ec', lines.join('\n')], { env, encoding: 'utf8' })
      const binary = realpathSync(join(folder, 'node_modules/electron/dist/electron'))
      const name = /apparmor\.d\/(\S+)/.exec(ran)?.[1]
      expect(name).toMatch(/^inference-studio-clone-[0-9a-f]{8}$/)
      expect(ran.split('\n')).toEqual([
        `sudo tee /etc/apparmor.d/${name}`,
        'abi <abi/4.0>,',
        'include <tunables/global>',
        `profile ${name} "${binary}" flags=(unconfined) {`,
        '  userns,',
        '}',
        `sudo apparmor_parser --replace /etc/apparmor.d/${name}`,
        '',
      ])
    },
  )

  it.runIf(process.getuid?.() === 0)('says to root that the window opens for an ordinary user', async () => {
    const started = start(withElectron(refusesSandbox))
    expect(await started.ended).toBe(0)
    expect(started.errors().split('\n')).toEqual([
      "Opening in the browser instead of a desktop window: Chromium's sandbox does not run as root.",
      'The window opens for an ordinary user.',
      expect.stringContaining('npm start -- --no-sandbox'),
      '',
    ])
  })

  it('starts without it only when the person says so, after one line about what that means, and stores nothing', async () => {
    const folder = withElectron(
      `case "$*" in *--no-sandbox*) echo "window $*"; : > "$INFERENCE_STUDIO_STARTED_FILE";; *) ${refusesSandbox};; esac`,
    )
    const asked = start(folder, {}, ['--no-sandbox'])
    expect([await asked.ended, asked.output()]).toEqual([0, `window ${join(folder, '/')} --no-sandbox\n`])
    expect(asked.errors()).toMatch(/^Chromium's sandbox is off for this start: [^\n]+\n$/)
    const next = start(folder)
    expect([await next.ended, next.output()]).toEqual([0, 'web host serve --open\n'])
  })

  it('opens the browser also when Electron fails without it, without this switch for the web host', async () => {
    const started = start(withElectron(refusesSandbox), {}, ['--no-sandbox', '--web-port', '0'])
    expect([await started.ended, started.output()]).toEqual([0, 'web host serve --open --web-port 0\n'])
    expect(started.errors()).not.toContain('apparmor')
  })
})

it('npm start -- --web opens the browser and does not look for Electron', async () => {
  const started = start(withElectron('echo electron'), {}, ['--web', '--web-port', '0'])
  expect([await started.ended, started.output(), started.errors()]).toEqual([
    0,
    'web host serve --open --web-port 0\n',
    '',
  ])
})

it('npm start -- --help explains --web and --no-sandbox, and installs nothing', async () => {
  const folder = project()
  rmSync(join(folder, 'node_modules'), { recursive: true })
  const started = start(folder, {}, ['--help'])
  expect([await started.ended, started.errors()]).toEqual([0, ''])
  expect(started.output()).toMatch(/^npm start -- --web .*\n.*--no-sandbox /m)
})

describe('ELECTRON_OVERRIDE_DIST_PATH follows the rule of the package electron:', () => {
  /** A folder with a program in Electron's place. */
  function elsewhere(folder: string, name: string): string {
    write(folder, { [`elsewhere/${name}`]: '#!/bin/sh\necho "elsewhere $0"; : > "$INFERENCE_STUDIO_STARTED_FILE"\n' })
    chmodSync(join(folder, 'elsewhere', name), 0o755)
    return join(folder, 'elsewhere')
  }

  it('without path.txt the program is called electron, and nothing is downloaded', async () => {
    const folder = project()
    const dist = elsewhere(folder, 'electron')
    const started = start(folder, { ELECTRON_OVERRIDE_DIST_PATH: dist })
    expect([await started.ended, started.output(), started.errors()]).toEqual([
      0,
      `elsewhere ${join(dist, 'electron')}\n`,
      '',
    ])
  })

  it('with path.txt it has that name', async () => {
    const folder = project()
    write(folder, { 'node_modules/electron/path.txt': 'Electron.app/Contents/MacOS/Electron' })
    const dist = elsewhere(folder, 'Electron.app/Contents/MacOS/Electron')
    const started = start(folder, { ELECTRON_OVERRIDE_DIST_PATH: dist })
    expect([await started.ended, started.output()]).toEqual([
      0,
      `elsewhere ${join(dist, 'Electron.app/Contents/MacOS/Electron')}\n`,
    ])
  })

  it('a folder without the program is named as the reason', async () => {
    const started = start(withElectron('echo electron'), { ELECTRON_OVERRIDE_DIST_PATH: '/nowhere' })
    expect([await started.ended, started.output()]).toEqual([0, 'web host serve --open\n'])
    expect(started.errors()).toContain('there is no /nowhere/electron (ELECTRON_OVERRIDE_DIST_PATH)')
  })
})

describe('npm start ends as the desktop application ends', () => {
  it('after its first window, also by a crash', async () => {
    const started = start(withElectron('echo early >&2; : > "$INFERENCE_STUDIO_STARTED_FILE"; echo late >&2; exit 5'))
    expect(await started.ended).toBe(5)
    expect(started.output()).toBe('')
    expect(started.errors()).toBe('early\nlate\n')
  })

  it('without a window when it ends in order, such as beside a running one', async () => {
    const started = start(withElectron('exit 0'))
    expect([await started.ended, started.output()]).toEqual([0, ''])
  })

  it.skipIf(process.platform === 'win32')(
    'by Ctrl+C, which reaches the application through the start alone and not its own processes first',
    async () => {
      // The application starts a child, as Chromium does, and reports a signal to either.
      const code = `const { spawn } = require('node:child_process')
        const says = (who, then) => 'process.on("SIGINT", () => { console.log("' + who + '"); ' + then + ' }); '
        const child = spawn(process.execPath, ['-e', says('the child has a signal', 'process.exit()') +
          'setInterval(() => {}, 1000); console.log("ready")'], { stdio: 'inherit' })
        process.on('SIGINT', () => { console.log('the application has a signal'); child.kill('SIGTERM'); process.exit(0) })
        setInterval(() => {}, 1000)`
      const folder = withElectron(code, process.execPath)
      // A process group of its own, as a terminal gives to the command in the foreground.
      const started = start(folder, {}, [], { detached: true })
      await vi.waitFor(() => expect(started.output()).toContain('ready'), 20_000)
      process.kill(-(started.child.pid ?? 0), 'SIGINT')
      expect([await started.ended, started.output()]).toEqual([0, 'ready\nthe application has a signal\n'])
    },
  )

  it('by a signal to the start, without a web host', async () => {
    // No shell: dash loses a signal that arrives just before it waits.
    const waits = 'process.on("SIGTERM", () => process.exit(9)); setInterval(() => {}, 1_000); console.log("ready")'
    const started = start(withElectron(waits, process.execPath))
    await vi.waitFor(() => expect(started.output()).toContain('ready'), 20_000)
    started.child.kill('SIGTERM')
    expect([await started.ended, started.output()]).toEqual([9, 'ready\n'])
  })
})

it('Electron gets its project and arguments, and never ELECTRON_RUN_AS_NODE or --no-sandbox', async () => {
  const folder = withElectron('echo "$* [$ELECTRON_RUN_AS_NODE]"; : > "$INFERENCE_STUDIO_STARTED_FILE"')
  const started = start(folder, { ELECTRON_RUN_AS_NODE: '1' }, ['x'])
  expect(await started.ended).toBe(0)
  expect(started.output()).toBe(`${join(folder, '/')} x []\n`)
})

describe('the first download', () => {
  /** The project with the real package `electron` for a small archive. Returns the archive. */
  async function withoutBinary(): Promise<{ folder: string; archive: Buffer; name: string }> {
    const folder = project()
    const zip = new ZipFile()
    const script = '#!/bin/sh\necho electron runs\n: > "$INFERENCE_STUDIO_STARTED_FILE"\n'
    zip.addBuffer(Buffer.from(script), 'electron', { mode: 0o100755 })
    zip.addBuffer(Buffer.alloc(3_000_000, 1), 'padding', { compress: false })
    zip.addBuffer(Buffer.from('9.9.9'), 'version')
    zip.end()
    const chunks: Buffer[] = []
    for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk as Uint8Array))
    const archive = Buffer.concat(chunks)
    const name = `electron-v9.9.9-${process.platform}-${process.arch}.zip`
    write(folder, {
      'node_modules/electron/package.json': '{"name":"electron","version":"9.9.9"}',
      'node_modules/electron/checksums.json': JSON.stringify({
        [name]: createHash('sha256').update(archive).digest('hex'),
      }),
      'node_modules/electron/install.js': readFileSync(join(root, 'node_modules/electron/install.js'), 'utf8'),
    })
    for (const scope of ['@electron', '@electron-internal']) {
      symlinkSync(join(root, 'node_modules', scope), join(folder, 'node_modules', scope))
    }
    return { folder, archive, name }
  }

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    servers.add(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
  }

  const envOf = (folder: string, mirror: string) => ({
    ELECTRON_MIRROR: mirror,
    electron_config_cache: join(folder, 'cache'),
    INFERENCE_STUDIO_DOWNLOAD_SILENCE_MS: '1500',
  })

  it('shows its progress, unpacks the binary and opens it; the next start asks for nothing', {
    tags: 'long',
  }, async () => {
    const { folder, archive, name } = await withoutBinary()
    const asked: string[] = []
    const mirror = await serve((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(200, { 'Content-Length': archive.length })
      const parts = Array.from({ length: 20 }, (_, at) =>
        archive.subarray((at * archive.length) / 20, ((at + 1) * archive.length) / 20),
      )
      const next = (): void => {
        const part = parts.shift()
        if (part === undefined) response.end()
        else response.write(part, () => setTimeout(next, 10))
      }
      next()
    })
    const started = start(folder, envOf(folder, mirror))
    expect([await started.ended, started.output()]).toEqual([0, 'electron runs\n'])
    expect(started.errors()).toMatch(/Downloading Electron 9\.9\.9 .*MB of 3\.0 MB \(50 %\).*\(100 %\)/s)
    expect(asked).toEqual([expect.stringContaining(name)])
    const again = start(folder, envOf(folder, mirror))
    expect([await again.ended, again.output()]).toEqual([0, 'electron runs\n'])
    expect(asked.length).toBe(1)
  })

  it('that falls silent is given up, and tried again at the next start', { tags: 'long' }, async () => {
    const { folder, archive } = await withoutBinary()
    let isSilent = true
    const mirror = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': archive.length })
      if (isSilent) response.write(archive.subarray(0, 1000))
      else response.end(archive)
    })
    const first = start(folder, envOf(folder, mirror))
    expect([await first.ended, first.output()]).toEqual([0, 'web host serve --open\n'])
    expect(first.errors()).toContain('the server sent nothing for 1.5 s')
    expect(first.errors()).toContain('The next start tries again')
    isSilent = false
    const second = start(folder, envOf(folder, mirror))
    expect([await second.ended, second.output()]).toEqual([0, 'electron runs\n'])
  })

  it('of another content than the package names is not unpacked', { tags: 'long' }, async () => {
    const { folder, archive } = await withoutBinary()
    const mirror = await serve((_request, response) => response.end(Buffer.concat([archive, Buffer.from('x')])))
    const started = start(folder, envOf(folder, mirror))
    expect([await started.ended, started.output()]).toEqual([0, 'web host serve --open\n'])
    expect(existsSync(join(folder, 'node_modules/electron/dist'))).toBe(false)
  })
})
