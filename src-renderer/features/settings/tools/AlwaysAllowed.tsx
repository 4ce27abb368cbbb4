import type { ToolsState } from '../../../../src-preload/contract/tools.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { findTool, readToolId } from '../../../stores/tools.ts'
import { Group } from '../Group.tsx'
import { WholeNumberField } from '../TypedField.tsx'
import { useSave } from '../useSave.ts'
import { useAction } from './useAction.ts'

/** The tools that run without asking. A button revokes each permission. */
export function AlwaysAllowed({ tools }: { tools: ToolsState }) {
  const t = useToolTranslate()
  const action = useAction()
  return (
    <Group title={t('settings.always.title')} about={t('settings.always.about')}>
      {tools.always.length === 0 && <p className="text-s text-soft">{t('settings.always.none')}</p>}
      <ul className="flex flex-col">
        {tools.always.map((id) => {
          const { name, where } = nameOf(tools, id)
          const place =
            where === 'own' || where === 'gone' ? t(`settings.always.${where}`) : t('settings.always.on', where)
          return (
            <li key={id} className="flex items-center gap-2 py-1">
              <code dir="ltr" className="min-w-0 truncate font-mono text-s [unicode-bidi:isolate]" title={name}>
                {name}
              </code>
              <span className="min-w-0 truncate text-faint text-s">{place}</span>
              <Button
                size="small"
                className="ms-auto"
                aria-label={t('settings.always.removeOf', { name })}
                onClick={() => void action((client) => client.tools.revokeApproval({ toolId: id }))}
              >
                {t('settings.always.remove')}
              </Button>
            </li>
          )
        })}
      </ul>
    </Group>
  )
}

function nameOf(tools: ToolsState, id: string): { name: string; where: 'own' | 'gone' | { server: string } } {
  const { tool, server } = findTool(tools, id)
  if (tool) return { name: tool.name, where: 'own' }
  const read = readToolId(id)
  const name = plainText(read?.kind === 'mcp' ? read.name : id)
  return { name, where: server ? { server: plainText(server.name) } : 'gone' }
}

/** Field for the number of rounds of calls after which a chat asks the person before it continues. */
export function Rounds({ rounds }: { rounds: number }) {
  const t = useToolTranslate()
  const save = useSave()
  return (
    <WholeNumberField
      label={t('settings.rounds.title')}
      hint={t('settings.rounds.hint')}
      bad={t('settings.rounds.bad')}
      value={rounds}
      parse={parseRounds}
      onSave={(toolRounds) => save({ toolRounds })}
    />
  )
}

function parseRounds(typed: string): number | null {
  const value = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : 0
  return value >= 1 && value <= 100 ? value : null
}
