// Programs outside of npm that single tests use. Each is tried once by what the tests need of it, because a name on the PATH says little:
// LibreOffice may have no Writer, ffmpeg no encoder for MP3, a session bus no Secret Service. Runs on any Node from 20.19 on.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { node24, root } from '../../resources/scripts/ready.mjs'
import { pathForTests } from './npmPrograms.mjs'

const linux = ['linux']
const posix = ['linux', 'darwin']
const ofScreen = ['xvfb', 'openbox', 'xdotool', 'dbus-daemon', 'chromium']

/**
 * The programs by the tag of their tests.
 * - `what`: the subject of the reason for skipped tests
 * - `debian`: packages that bring it
 * - `isUsual`: `npm test` as root on Debian installs it also outside of CI
 * - `isForCi`: its absence is a failure in CI
 * - `platforms`: elsewhere its tests are skipped by themselves. Default: all
 * - `probe`: does in an empty folder what the tests need, and returns null or the reason why it failed
 * @type {Record<string, { what: string, debian: string[], isUsual?: boolean, isForCi?: boolean, platforms?: string[], probe?: (folder: string) => string | null }>}
 */
export const programs = {
  ffmpeg: {
    what: 'ffmpeg and ffprobe with the usual encoders',
    debian: ['ffmpeg'],
    isUsual: true,
    isForCi: true,
    probe(folder) {
      const sound = ['-f', 'lavfi', '-i', 'sine=duration=0.1', '-f', 'lavfi', '-i', 'testsrc=size=16x16:duration=0.1']
      const coders = ['libmp3lame -f mp3', 'libopus -f ogg', 'aac -f adts', 'flac -f flac']
      const sounds = coders.flatMap((one, at) => ['-map', '0:a', '-c:a', ...one.split(' '), join(folder, String(at))])
      const picture = ['-map', '1:v', '-frames:v', '1', '-c:v', 'libwebp', '-f', 'webp', join(folder, 'picture')]
      return (
        failure('ffmpeg', ['-v', 'error', ...sound, ...sounds, ...picture]) ??
        failure('ffprobe', ['-v', 'error', '-show_streams', join(folder, '0')])
      )
    },
  },
  keyring: {
    what: 'a Secret Service (dbus-daemon, gnome-keyring, libsecret)',
    debian: ['dbus-daemon', 'gnome-keyring', 'libsecret-1-0'],
    isUsual: true,
    isForCi: true,
    platforms: linux,
    probe(folder) {
      const script = `const keychain = require('keytar')
        keychain.setPassword('probe', 'a', 'b').then(() => keychain.getPassword('probe', 'a'))
          .then((stored) => process.exit(stored === 'b' ? 0 : 1), (error) => { console.error(error.message); process.exit(1) })`
      const start = 'printf password | gnome-keyring-daemon --unlock --components=secrets >&2 || exit; exec "$0" "$@"'
      const args = ['--', 'sh', '-c', start, node24(), '--input-type=commonjs', '-e', script]
      const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder }
      return failure('dbus-run-session', args, { env: { PATH: pathForTests(), ...home } })
    },
  },
  nginx: {
    what: 'nginx',
    debian: ['nginx'],
    isForCi: true,
    platforms: linux,
    probe(folder) {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder};`,
      )
      writeFileSync(
        join(folder, 'nginx.conf'),
        `pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {} http { access_log off; ${temporary.join(' ')}
        server { listen unix:${folder}/socket; rewrite ^ $uri break; location / { proxy_pass http://127.0.0.1:1; } } }`,
      )
      return failure('nginx', ['-t', '-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'error.log')])
    },
  },
  'desktop-file-validate': {
    what: 'desktop-file-validate',
    debian: ['desktop-file-utils'],
    isForCi: true,
    platforms: linux,
    probe(folder) {
      const file = join(folder, 'a.desktop')
      writeFileSync(file, '[Desktop Entry]\nType=Application\nName=A\nExec=a\n')
      return failure('desktop-file-validate', [file])
    },
  },
  'dpkg-deb': {
    what: 'dpkg-deb',
    debian: ['dpkg'],
    isForCi: true,
    platforms: linux,
    probe: () => failure('dpkg-deb', ['--version']),
  },
  systemd: {
    what: 'systemd-analyze and systemd-notify of systemd, and perl',
    debian: ['systemd', 'perl-base'],
    isForCi: true,
    platforms: linux,
    probe: (folder) =>
      failure('systemd-notify', ['--version']) ??
      failure('perl', ['-MIO::Socket::UNIX', '-e', '1']) ??
      failure('systemd-analyze', ['--user', 'unit-paths'], { env: { PATH: pathForTests(), XDG_RUNTIME_DIR: folder } }),
  },
  curl: {
    what: 'bash and curl with http',
    debian: ['curl'],
    isForCi: true,
    probe() {
      // Nothing answers at port 1, which curl reports as 7. 1 would mean that it does not know http.
      const script = 'curl --silent --noproxy "*" --max-time 20 http://127.0.0.1:1/; [ $? = 7 ]'
      return failure('curl', ['--version']) ?? failure('bash', ['-c', script])
    },
  },
  terminal: {
    what: 'script(1) of util-linux',
    debian: ['bsdutils'],
    isForCi: true,
    platforms: linux,
    probe: () => failure('script', ['-qec', 'true', '/dev/null']),
  },
  posix: {
    what: 'a POSIX shell, bash, mkfifo and tar',
    debian: ['bash', 'coreutils', 'tar'],
    isForCi: true,
    platforms: posix,
    probe: (folder) =>
      failure('sh', ['-c', 'mkfifo "$0" && bash -c true && tar -cf - -C / dev/null > /dev/null', join(folder, 'fifo')]),
  },
  zsh: {
    what: 'zsh with its completion',
    debian: ['zsh'],
    isForCi: true,
    platforms: posix,
    probe: () => failure('zsh', ['-fc', 'autoload -Uz compinit && autoload +X compinit && zmodload zsh/zle']),
  },
  fish: {
    what: 'fish',
    debian: ['fish'],
    isForCi: true,
    platforms: posix,
    probe: (folder) =>
      failure('fish', ['--no-config', '-c', 'complete -C "ech"'], { env: { PATH: pathForTests(), HOME: folder } }),
  },
  fonts: {
    what: 'fonts for Arabic, Chinese, Japanese and emoji',
    debian: ['fontconfig', 'fonts-dejavu-core', 'fonts-noto-cjk', 'fonts-noto-color-emoji'],
    isForCi: true,
    platforms: linux,
    probe() {
      const script =
        'for one in ar ja zh-cn und-zsye; do fc-list ":lang=$one" | grep -q . || { echo "no font for $one" >&2; exit 1; }; done'
      return failure('fc-list', ['--version']) ?? failure('sh', ['-c', script])
    },
  },
  // Too large to be installed for one test: half a gigabyte.
  soffice: {
    what: 'LibreOffice with Writer',
    debian: ['libreoffice-writer'],
    probe(folder) {
      const space = 'urn:oasis:names:tc:opendocument:xmlns'
      writeFileSync(
        join(folder, 'a.fodt'),
        `<?xml version="1.0"?><office:document xmlns:office="${space}:office:1.0" xmlns:text="${space}:text:1.0" office:version="1.2"
        office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>a</text:p></office:text></office:body></office:document>`,
      )
      const convert = (to, from) => {
        const settings = `-env:UserInstallation=file://${folder}/profile`
        return failure('soffice', [settings, '--headless', '--convert-to', to, '--outdir', folder, join(folder, from)])
      }
      // Without Writer, it ends with 0 and writes nothing.
      const met =
        convert('docx', 'a.fodt') ?? (existsSync(join(folder, 'a.docx')) ? null : 'it converts no text documents')
      return met ?? convert('txt:Text', 'a.docx') ?? (existsSync(join(folder, 'a.txt')) ? null : 'it reads no .docx')
    },
  },
  // Neither is required in CI: their words and keys are those of the versions in Debian 12, and other systems have others.
  ibus: {
    what: 'ibus with libpinyin, on a screen of Xvfb',
    debian: ['ibus', 'ibus-libpinyin', 'ibus-gtk3', ...ofScreen],
    platforms: linux,
    probe: () =>
      screenFailure() ??
      failure('ibus', ['version']) ??
      (existsSync('/usr/share/ibus/component/libpinyin.xml') ? null : 'ibus has no libpinyin'),
  },
  orca: {
    what: 'Orca with speech-dispatcher, on a screen of Xvfb',
    debian: ['orca', 'speech-dispatcher', 'python3-speechd', 'at-spi2-core', ...ofScreen],
    platforms: linux,
    probe: () => screenFailure() ?? failure('orca', ['--version']) ?? failure('speech-dispatcher', ['--version']),
  },
  // Containers forbid it to root as well.
  mount: {
    what: 'the right to mount a disk',
    debian: [],
    platforms: linux,
    probe: (folder) =>
      process.getuid?.() === 0
        ? failure('sh', ['-c', 'mount -t tmpfs -o size=1m tmpfs "$0" && umount -l "$0"', folder])
        : 'this is an ordinary user',
  },
  // Found by tests/helpers/findBrowser.mjs: it may also be downloaded.
  chromium: { what: 'Chromium', debian: ['chromium'], isUsual: true, isForCi: true },
  'full-browser': {
    what: 'a full Chromium, because a headless shell has no permissions',
    debian: ['chromium'],
    isForCi: true,
  },
}

/** Why there is no screen for a browser with a window, or null. */
function screenFailure() {
  const script =
    'for one in Xvfb openbox xdotool dbus-daemon; do command -v $one > /dev/null || { echo "$one was not found" >&2; exit 1; }; done'
  return failure('sh', ['-c', script])
}

/** Longest probe, ms. LibreOffice needs seconds for its first start. */
const probeMs = 120_000

/** Runs a program. @returns null if it ended with 0, else why it did not */
function failure(command, args, options = {}) {
  const run = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: probeMs,
    env: { ...process.env, PATH: pathForTests() },
    ...options,
  })
  if (run.status === 0) return null
  if (run.error?.code === 'ETIMEDOUT') return `${command} did not end within ${probeMs / 1000} s`
  if (run.error)
    return run.error.code === 'ENOENT' || run.error.code === 'EACCES' ? `${command} was not found` : run.error.message
  const words = `${run.stderr}`.trim().split('\n').at(-1) || `it ended with ${run.status ?? run.signal}`
  return `${command}: ${words.slice(0, 200)}`
}

/** Why tests that need the program can't run here, or null. Tried once per run: `npm test` passes its results on in STUDIO_LACKS. */
export function lacks(name) {
  const known = JSON.parse(process.env.STUDIO_LACKS ?? '{}')
  if (!(name in known)) process.env.STUDIO_LACKS = JSON.stringify({ ...known, [name]: probe(name) })
  return JSON.parse(process.env.STUDIO_LACKS)[name]
}

/** Tries a program anew. @returns null, or why it can't be used */
export function probe(name, platform = process.platform) {
  const { platforms, probe: attempt } = programs[name]
  if (platforms && !platforms.includes(platform)) return `it is not tried on ${platform}`
  if (!attempt) return null
  const folder = mkdtempSync(join(tmpdir(), 'inference-studio-probe-'))
  try {
    return attempt(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

/** Options of a Vitest test or group: its tags, by which `npm test` counts what it skips, and whether a program of that name can't be used here. */
export const needs = (...names) => ({
  tags: names,
  skip: names.some((name) => name in programs && lacks(name) !== null),
})
