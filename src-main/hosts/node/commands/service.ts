import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../../core/errors.ts'
import { codeOf } from '../../../core/shared/diskProblem.ts'
import { keyStoreVariables } from '../keyFile.ts'
import { exitCodes, printJson, say, sayPart, tell } from '../output.ts'
import { ownError } from '../ownWords.ts'
import { ownPackage } from '../package.ts'
import { launchdPlist, type ServiceCommand, serviceLabel, systemdUnit, windowsTask } from '../serviceFiles.ts'
import { writeFileAtomically } from '../userFile.ts'

interface InstallOptions {
  print: boolean
  start: boolean
  json: boolean
}

type Program = readonly [program: string, ...args: string[]]

/** A service manager of an operating system. */
interface Manager {
  /** Where its file of the service is, or null when the manager keeps the file itself. */
  path: string | null
  /** The file of the service. */
  file(command: ServiceCommand): string
  /** What makes the manager read the file, start the service now and at each login. */
  start(path: string): readonly Program[]
  stop(): readonly Program[]
  /** What the manager needs after the file is gone. */
  afterRemoval: readonly Program[]
  /** Exits with 0 while the service runs. */
  status: Program
  /** How a person reads the log. */
  logs: string
}

/** Variables of this process that the service gets too: each says where something is, and none is a secret. */
const passedVariables = ['INFERENCE_STUDIO_DATA_DIR', 'XDG_DATA_HOME', ...keyStoreVariables]

const unitName = 'inference-studio.service'
const taskName = 'Inference Studio'

/** The service manager of this system. @throws StudioError `bad_input` for a system without a known one */
function managerOf(platform: NodeJS.Platform = process.platform): Manager {
  const home = homedir()
  if (platform === 'linux') {
    const config = process.env.XDG_CONFIG_HOME?.startsWith('/') ? process.env.XDG_CONFIG_HOME : join(home, '.config')
    return {
      path: join(config, 'systemd', 'user', unitName),
      file: systemdUnit,
      start: () => [
        ['systemctl', '--user', 'daemon-reload'],
        ['systemctl', '--user', 'enable', unitName],
        // A new file takes effect, also for a service that runs.
        ['systemctl', '--user', 'restart', unitName],
      ],
      stop: () => [['systemctl', '--user', 'disable', '--now', unitName]],
      afterRemoval: [['systemctl', '--user', 'daemon-reload']],
      status: ['systemctl', '--user', 'is-active', '--quiet', unitName],
      logs: `journalctl --user --unit ${unitName}`,
    }
  }
  if (platform === 'darwin') {
    const logFile = join(home, 'Library', 'Logs', 'inference-studio.log')
    const domain = `gui/${userInfo().uid}`
    return {
      path: join(home, 'Library', 'LaunchAgents', `${serviceLabel}.plist`),
      file: (command) => launchdPlist(command, logFile),
      start: (path) => [
        ['launchctl', 'bootstrap', domain, path],
        ['launchctl', 'kickstart', `${domain}/${serviceLabel}`],
      ],
      stop: () => [['launchctl', 'bootout', `${domain}/${serviceLabel}`]],
      afterRemoval: [],
      status: ['launchctl', 'print', `${domain}/${serviceLabel}`],
      logs: logFile,
    }
  }
  if (platform === 'win32') {
    return {
      path: null,
      file: (command) => windowsTask(command, `${process.env.USERDOMAIN ?? '.'}\\${userInfo().username}`),
      start: (path) => [
        ['schtasks', '/Create', '/TN', taskName, '/XML', path, '/F'],
        ['schtasks', '/Run', '/TN', taskName],
      ],
      stop: () => [['schtasks', '/Delete', '/TN', taskName, '/F']],
      afterRemoval: [],
      status: ['schtasks', '/Query', '/TN', taskName],
      logs: 'serve --log json 2>FILE',
    }
  }
  throw ownError('bad_input', t('service.unknownSystem', { system: platform }))
}

/** `service install`: writes the service and starts it. @param given options of `serve` */
export async function installService(given: readonly string[], options: InstallOptions): Promise<number> {
  const manager = managerOf()
  const text = manager.file(serviceCommand(given))
  if (options.print) {
    if (options.json) printJson({ path: manager.path, text })
    else sayPart(text)
    return exitCodes.ok
  }
  await install(manager, text, options.start)
  if (options.json) printJson({ path: manager.path, started: options.start })
  else {
    if (manager.path !== null) say(t('wrote', { path: manager.path }))
    say(t(options.start ? 'service.runsAtLogin' : 'service.notStarted'))
    if (process.platform === 'linux') say(t('service.linger'))
    say(t('service.log', { log: manager.logs }))
  }
  return exitCodes.ok
}

async function install(manager: Manager, text: string, isStarted: boolean): Promise<void> {
  if (manager.path === null) {
    const path = await temporaryTaskFile(text)
    try {
      for (const program of manager.start(path)) await run(program)
    } finally {
      await rm(dirname(path), { recursive: true, force: true })
    }
    return
  }
  await mkdir(dirname(manager.path), { recursive: true })
  await writeFileAtomically(manager.path, [Buffer.from(text)])
  if (!isStarted) return
  // launchd refuses to load an agent twice. An agent that is not loaded can't be stopped, which is no failure here.
  if (process.platform === 'darwin') for (const program of manager.stop()) await run(program).catch(() => undefined)
  for (const program of manager.start(manager.path)) await run(program)
}

/** `service uninstall`: stops the service and deletes its file. */
export async function uninstallService({ json }: { json: boolean }): Promise<number> {
  const manager = managerOf()
  const isThere = await isInstalled(manager)
  if (isThere) {
    // A service that does not run can't be stopped, and its file is deleted all the same.
    for (const program of manager.stop())
      await run(program).catch((thrown: Error) => {
        if (manager.path === null) throw thrown
        tell('warn', thrown.message)
      })
    if (manager.path !== null) await rm(manager.path, { force: true })
    for (const program of manager.afterRemoval)
      await run(program).catch((thrown: Error) => tell('warn', thrown.message))
  }
  if (json) printJson({ uninstalled: isThere })
  else say(t(isThere ? 'service.uninstalled' : 'service.notInstalled'))
  return exitCodes.ok
}

/** `service status`. */
export async function serviceStatus({ json }: { json: boolean }): Promise<number> {
  const manager = managerOf()
  const installed = await isInstalled(manager)
  const running = installed && (await run(manager.status).then(() => true, missingProgram))
  if (json) printJson({ installed, running, path: manager.path })
  else if (!installed) say(t('service.installHint'))
  else say(t(running ? 'service.runs' : 'service.doesNotRun'), t('service.log', { log: manager.logs }))
  return running ? exitCodes.ok : exitCodes.failed
}

const isInstalled = (manager: Manager): Promise<boolean> =>
  manager.path === null
    ? run(manager.status).then(() => true, missingProgram)
    : Promise.resolve(existsSync(manager.path))

/** False for a program that says no. @throws the error of a program that is not there */
function missingProgram(thrown: unknown): false {
  if (thrown instanceof StudioError && thrown.kind === 'no_such_item') throw thrown
  return false
}

/** The command of the service: this installation with the given options of `serve`. @throws StudioError `bad_input` for `npx` */
function serviceCommand(given: readonly string[]): ServiceCommand {
  const script = join(ownPackage().folder, 'resources', 'scripts', 'inference-studio.mjs')
  if (/[\\/]_npx[\\/]/.test(script)) {
    throw ownError('bad_input', t('service.npx'))
  }
  const env = passedVariables.flatMap((name) => {
    const value = process.env[name]
    if (value === undefined || value === '') return []
    // A service starts in another folder.
    return [[name, /_(?:DIR|FILE)$/.test(name) ? resolve(value) : value] as const]
  })
  return { program: process.execPath, args: [script, 'serve', ...given], env: Object.fromEntries(env) }
}

/** Task Scheduler reads UTF-16 with a byte order mark. */
async function temporaryTaskFile(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'inference-studio-')), 'task.xml')
  await writeFile(path, `\ufeff${text}`, 'utf16le')
  return path
}

/** Runs a program of the system. @throws StudioError `no_such_item` when it is missing, `bad_input` with its own words when it fails */
async function run([program, ...args]: Program): Promise<void> {
  try {
    await promisify(execFile)(program, args)
  } catch (thrown) {
    const line = [program, ...args].join(' ')
    if (codeOf(thrown) === 'ENOENT') throw ownError('no_such_item', t('service.noProgram', { program }))
    const words = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr).trim() : String(thrown)
    throw ownError('bad_input', t('service.failed', { command: line, reason: words }), { cause: thrown })
  }
}
