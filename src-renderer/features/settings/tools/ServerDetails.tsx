import type { McpServer, McpTool } from '../../../../src-preload/contract/tools.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { commandLine } from '../../../shared/ui/commandLine.ts'
import { KeyValue } from '../../../shared/ui/KeyValue.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'

/** A server's description, tools and log. All texts are untrusted. */
export function ServerDetails({ server }: { server: McpServer }) {
  const t = useToolTranslate()
  const { transport } = server
  const name = plainText(server.name)
  const names = transport.kind === 'stdio' ? transport.env : transport.headers
  const mono = (text: string) => (
    <code dir="ltr" className="select-text break-all font-mono text-s [unicode-bidi:isolate]">
      {plainText(text)}
    </code>
  )
  const rows = [
    transport.kind === 'stdio'
      ? { id: 'runs', name: t('settings.servers.program'), value: mono(commandLine(transport)) }
      : { id: 'address', name: t('settings.servers.address'), value: mono(transport.url) },
    ...(transport.kind === 'stdio' && transport.cwd !== null
      ? [{ id: 'folder', name: t('settings.servers.folder'), value: mono(transport.cwd) }]
      : []),
    ...(names.length > 0
      ? [
          {
            id: 'names',
            name: t(transport.kind === 'stdio' ? 'settings.servers.env' : 'settings.servers.headers'),
            value: mono(names.join(', ')),
          },
          ...(server.forgetsSecrets
            ? [{ id: 'secrets', name: t('settings.server.secrets'), value: t('settings.server.secretsForgotten') }]
            : []),
        ]
      : []),
    {
      id: 'limit',
      name: t('settings.servers.limit'),
      value: t('settings.servers.limitValue', { seconds: server.timeoutSeconds }),
    },
    ...(server.signIn?.storedIn
      ? [
          {
            id: 'signIn',
            name: t('settings.signIn.row'),
            value: t(`settings.signIn.${server.signIn.storedIn}`, { host: plainText(server.signIn.host ?? '') }),
          },
        ]
      : []),
    ...(server.about === null
      ? []
      : [{ id: 'about', name: t('settings.servers.reportedName'), value: plainText(server.about.slice(0, 300)) }]),
  ]
  return (
    <div className="flex min-w-0 flex-col gap-3 ps-5">
      <KeyValue rows={rows} />
      {server.instructions && (
        <div className="flex flex-col gap-1 text-s">
          <h3 className="font-[540]">{t('settings.servers.instructions')}</h3>
          <p className="line-clamp-6 select-text whitespace-pre-wrap break-words text-soft">
            {plainText(server.instructions)}
          </p>
        </div>
      )}
      {server.tools.length > 0 && (
        <section aria-label={t('settings.servers.toolsOf', { name })} className="flex flex-col gap-1">
          <h3 className="font-[540] text-s">{t('settings.servers.toolsTitle')}</h3>
          <ul
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard (WCAG 2.1.1)
            tabIndex={0}
            className="flex max-h-80 flex-col gap-1.5 overflow-y-auto rounded-s"
          >
            {server.tools.map((tool) => (
              <ToolLine key={tool.sentName} tool={tool} />
            ))}
          </ul>
        </section>
      )}
      {transport.kind === 'stdio' && <Log of={name} lines={server.log} />}
    </div>
  )
}

function ToolLine({ tool }: { tool: McpTool }) {
  const t = useToolTranslate()
  const claim = tool.readOnly === true ? 'readOnly' : tool.destructive === true ? 'destructive' : null
  return (
    <li className="min-w-0 text-s">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <code dir="ltr" className="min-w-0 break-all font-mono [unicode-bidi:isolate]">
          {plainText(tool.name)}
        </code>
        {tool.sentName !== tool.name && (
          <span className="text-faint text-s">{t('settings.servers.sentAs', { name: tool.sentName })}</span>
        )}
        {claim && <span className="text-faint text-s">{t(`settings.servers.tool.${claim}`)}</span>}
      </div>
      {tool.description !== '' && (
        <p className="line-clamp-3 select-text break-words text-soft">{plainText(tool.description)}</p>
      )}
      {tool.fault !== null && (
        <p className="text-warn">{t('settings.servers.tool.fault', { words: plainText(tool.fault) })}</p>
      )}
    </li>
  )
}

function Log({ of, lines }: { of: string; lines: readonly string[] }) {
  const t = useToolTranslate()
  if (lines.length === 0) return <p className="text-faint text-s">{t('settings.servers.logNone')}</p>
  return (
    <details className="text-s" open>
      <summary className="w-fit rounded-s font-[540]">{t('settings.servers.log')}</summary>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        aria-label={t('settings.servers.logOf', { name: of })}
        className="mt-1.5 max-h-40 overflow-auto rounded-m bg-panel px-3 py-2 shadow-[inset_0_0_0_1px_var(--line)]"
      >
        <pre className="m-0 select-text whitespace-pre-wrap break-words font-mono text-soft text-s">
          {plainText(lines.join('\n'))}
        </pre>
      </section>
    </details>
  )
}
