// The files of the service for the three systems, as text. Their formats: systemd.service(5), launchd.plist(5), and schema version 1.2 of
// Task Scheduler.

/** The program of a service with its arguments, each a word of its own. */
export interface ServiceCommand {
  /** Absolute path. */
  program: string
  args: readonly string[]
  /** Variables that the service gets, such as where its data is. No secret. */
  env: Readonly<Record<string, string>>
}

export const serviceLabel = 'app.inference-studio'

/**
 * A word for a line of a unit: quoted, with the characters that systemd would expand doubled. Variables (`$`) are expanded in the arguments
 * of a command only, not in the path of its program.
 */
const unitWord = (word: string, expandsVariables: boolean): string => {
  const escaped = word.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('%', '%%')
  return `"${expandsVariables ? escaped.replaceAll('$', '$$$$') : escaped}"`
}

/**
 * A unit for `systemd --user`. Its restrictions need no mount namespace, which not every system lets a user have: there the service would
 * not start at all. Programs that it starts, such as MCP servers, have the same restrictions.
 */
export function systemdUnit({ program, args, env }: ServiceCommand): string {
  return `[Unit]
Description=Inference Studio
# A wrong option does not start the service again and again.
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=notify
# The message comes from the program systemd-notify, a child of the main process.
NotifyAccess=all
ExecStart=${[unitWord(program, false), ...args.map((word) => unitWord(word, true))].join(' ')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${unitWord(`${name}=${value}`, false)}\n`)
  .join('')}Restart=on-failure
# Wrong usage (exit code 2) does not go away by itself.
RestartPreventExitStatus=2
RestartSec=5
# A check of large databases may precede the start.
TimeoutStartSec=30min
TimeoutStopSec=60
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=default.target
`
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A launchd agent of this user. launchd starts it again after a failure, at most every 10 seconds. @param logFile for both outputs */
export function launchdPlist({ program, args, env }: ServiceCommand, logFile: string): string {
  const string = (text: string): string => `<string>${xml(text)}</string>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(serviceLabel)}
  <key>ProgramArguments</key>
  <array>
    ${[program, ...args].map(string).join('\n    ')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(env)
  .map(([name, value]) => `    <key>${xml(name)}</key>\n    ${string(value)}\n`)
  .join('')}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  ${string(logFile)}
  <key>StandardErrorPath</key>
  ${string(logFile)}
</dict>
</plist>
`
}

/** One argument of a command line of Windows, as the C runtime splits it. */
export function windowsArgument(word: string): string {
  if (/^[^\s"]+$/.test(word)) return word
  return `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
}

/**
 * A task of Windows that starts at the login of this user, without a window. A task has no environment of its own, so variables are not
 * possible here.
 * @param user such as `COMPUTER\name`
 */
export function windowsTask({ program, args }: ServiceCommand, user: string): string {
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Inference Studio</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>${xml(user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${xml(user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xml(program)}</Command>
      <Arguments>${xml(args.map(windowsArgument).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`
}
