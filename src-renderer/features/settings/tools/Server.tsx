import { Ellipsis, LogOut, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { McpServer } from '../../../../src-preload/contract/tools.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { localStore } from '../../../shared/storage.ts'
import { showToast } from '../../../shared/toasts.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { commandLine } from '../../../shared/ui/commandLine.ts'
import { ConfirmDialog } from '../../../shared/ui/Dialog.tsx'
import { Menu, MenuItem, MenuLine } from '../../../shared/ui/Menu.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { OpenMark } from '../../../shared/ui/OpenMark.tsx'
import { Pill, type PillTone } from '../../../shared/ui/Pill.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { Switch } from '../../../shared/ui/Switch.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { ServerDetails } from './ServerDetails.tsx'
import { SignIn } from './SignIn.tsx'
import { useAction } from './useAction.ts'

const key = 'tools.warned'

/** The confirmed program or address by server id. A changed program or address requires a new confirmation. */
function known(): Record<string, string> {
  const read = localStore.getJson(key)
  if (typeof read !== 'object' || read === null) return {}
  return Object.fromEntries(
    Object.entries(read).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

const printOf = ({ transport }: McpServer): string => JSON.stringify(transport)

const needsWarning = (server: McpServer): boolean => known()[server.id] !== printOf(server)

function warned(server: McpServer): void {
  localStore.setJson(key, { ...known(), [server.id]: printOf(server) })
}

const tones: Record<McpServer['state'], PillTone> = {
  off: 'muted',
  starting: 'warn',
  ready: 'good',
  failed: 'bad',
  sign_in: 'warn',
}

/** One server: state, switch, and collapsible details. */
export function Server({ server, onEdit }: { server: McpServer; onEdit: () => void }) {
  const t = useToolTranslate()
  const action = useAction()
  const [open, setOpen] = useState(false)
  const [dialog, setDialog] = useState<'warn' | 'remove' | null>(null)
  const { busy, run } = useCall()
  const name = plainText(server.name)
  const { transport } = server
  const turn = (on: boolean) => action((client) => client.tools.switchServer({ id: server.id, on }))
  const set = (on: boolean) => {
    if (on && needsWarning(server)) setDialog('warn')
    else run(() => turn(on))
  }
  const restart = () =>
    run(async () => {
      await turn(false)
      await turn(true)
    })
  const signOut = async () => {
    const isDone = await action((client) => client.tools.signOut({ id: server.id }))
    if (isDone) showToast({ id: `signed-out-${server.id}`, text: t('settings.signIn.signedOut', { name }) })
  }
  return (
    <li
      className="flex min-w-0 flex-col gap-2 rounded-m p-3 shadow-[inset_0_0_0_1px_var(--line-strong)]"
      data-server={server.name}
    >
      <div className="flex min-w-0 items-center gap-2">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 flex-wrap items-center gap-x-1.5 gap-y-0.5 rounded-s text-start"
        >
          <span className="flex min-w-0 max-w-full items-center gap-1.5">
            <OpenMark open={open} className="text-soft" />
            <span className="min-w-0 truncate font-[540]" title={name}>
              {name}
            </span>
          </span>
          <Pill tone={tones[server.state]}>{t(`settings.servers.state.${server.state}`)}</Pill>
          {server.state === 'ready' && (
            <span className="num shrink-0 text-faint text-s">
              {t('settings.servers.tools', { count: server.tools.length })}
            </span>
          )}
        </button>
        <Switch label={t('settings.servers.switch', { name })} checked={server.on} disabled={busy} onChange={set} />
        <Menu trigger={<IconButton icon={Ellipsis} label={t('settings.servers.more', { name })} />}>
          <MenuItem icon={Pencil} label={t('settings.servers.edit')} onSelect={onEdit} />
          {server.signIn?.storedIn && (
            <MenuItem icon={LogOut} label={t('settings.signIn.signOut')} onSelect={() => void signOut()} />
          )}
          <MenuLine />
          <MenuItem icon={Trash2} danger label={t('settings.servers.remove')} onSelect={() => setDialog('remove')} />
        </Menu>
      </div>
      {!open && (
        <code dir="ltr" className="truncate ps-5 font-mono text-faint text-s [unicode-bidi:isolate]">
          {plainText(transport.kind === 'stdio' ? commandLine(transport) : transport.url)}
        </code>
      )}
      {server.state === 'failed' && (
        <ProblemNotice
          problem={server.problem ?? { kind: 'bug', message: '' }}
          role="note"
          noAction
          title={t('settings.servers.failed')}
          meaning={plainText(server.problem?.message ?? '')}
        >
          <Button size="small" busy={busy} onClick={restart}>
            {t('settings.servers.retry')}
          </Button>
          {/* For a program that was not found, or a wrong address. */}
          <Button size="small" onClick={onEdit}>
            {t('settings.servers.edit')}
          </Button>
        </ProblemNotice>
      )}
      {server.state === 'ready' && server.tools.length === 0 && (
        <Notice kind="info" action={{ label: t('settings.servers.restart'), busy, onClick: restart }}>
          {t('settings.servers.offersNone')}
        </Notice>
      )}
      {server.signIn && <SignIn server={server} signIn={server.signIn} />}
      {open && <ServerDetails server={server} />}
      <Warning
        server={server}
        open={dialog === 'warn'}
        onClose={() => setDialog(null)}
        onYes={() => {
          warned(server)
          setDialog(null)
          run(() => turn(true))
        }}
      />
      <ConfirmDialog
        open={dialog === 'remove'}
        onClose={() => setDialog(null)}
        title={t('settings.servers.removeTitle', { name })}
        about={t('settings.servers.removeAbout')}
        confirm={t('settings.servers.confirmRemove')}
        onConfirm={() => {
          setDialog(null)
          void action((client) => client.tools.removeServer({ id: server.id }))
        }}
      />
    </li>
  )
}

/** Explains the consequences of switching a server on. Shown once per program or address. */
function Warning(props: { server: McpServer; open: boolean; onClose: () => void; onYes: () => void }) {
  const t = useToolTranslate()
  const { name, transport } = props.server
  const program = transport.kind === 'stdio'
  const what: ReactNode = program
    ? t('settings.servers.warnStdio')
    : t('settings.servers.warnHttp', { host: plainText(hostOf(transport.url)) })
  return (
    <ConfirmDialog
      open={props.open}
      onClose={props.onClose}
      title={t('settings.servers.warnTitle', { name: plainText(name) })}
      about={what}
      confirm={t('settings.servers.confirmTurnOn')}
      onConfirm={props.onYes}
    >
      <code
        dir="ltr"
        className="block max-h-32 select-text overflow-auto break-all rounded-m bg-hover px-3 py-2 font-mono text-s [unicode-bidi:isolate]"
      >
        {plainText(program ? commandLine(transport) : transport.url)}
      </code>
      <p className="text-s text-soft">
        {t(program ? 'settings.servers.warnStdioMore' : 'settings.servers.warnHttpMore')}
      </p>
    </ConfirmDialog>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
