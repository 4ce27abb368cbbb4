import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { FunctionTool } from '../../../../src-preload/contract/tools.ts'
import { showToast } from '../../../shared/toasts.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Pill } from '../../../shared/ui/Pill.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { Group } from '../Group.tsx'
import { FunctionDialog } from './FunctionDialog.tsx'
import { useAction } from './useAction.ts'

/** The person's own tools. */
export function Functions({ functions }: { functions: readonly FunctionTool[] }) {
  const t = useToolTranslate()
  const action = useAction()
  const [draft, setDraft] = useState<FunctionTool | 'new' | null>(null)
  const remove = async (tool: FunctionTool) => {
    if (!(await action((client) => client.tools.removeFunction({ id: tool.id })))) return
    const { updatedAt: _, ...kept } = tool
    const toast = {
      id: `tool-${tool.id}`,
      text: t('settings.functions.removed', { name: tool.name }),
      action: {
        label: t('settings.functions.undo'),
        // Restores the tool with its old id, so that chats that used the tool offer it again.
        onClick: () => void action((client) => client.tools.saveFunction(kept)),
      },
    }
    showToast(toast)
  }
  return (
    <Group
      title={t('settings.functions.title')}
      about={t('settings.functions.about')}
      actions={
        <Button icon={Plus} onClick={() => setDraft('new')}>
          {t('settings.functions.add')}
        </Button>
      }
    >
      {functions.length === 0 && <p className="text-s text-soft">{t('settings.functions.none')}</p>}
      <ul className="flex flex-col">
        {functions.map((tool) => (
          <li key={tool.id} className="flex items-center gap-1 py-1">
            <div className="min-w-0 flex-1">
              <div className="flex min-w-0 items-center gap-2">
                <code dir="ltr" className="min-w-0 truncate font-mono text-s" title={tool.name}>
                  {tool.name}
                </code>
                {tool.strict && <Pill tone="muted">{t('settings.functions.strict')}</Pill>}
              </div>
              <div className="truncate text-faint text-s">
                {plainText(tool.description) || t('settings.functions.noDescription')}
              </div>
            </div>
            <IconButton
              icon={Pencil}
              label={t('settings.functions.edit', { name: tool.name })}
              onClick={() => setDraft(tool)}
            />
            <IconButton
              icon={Trash2}
              label={t('settings.functions.remove', { name: tool.name })}
              onClick={() => void remove(tool)}
            />
          </li>
        ))}
      </ul>
      <FunctionDialog draft={draft} others={functions} onClose={() => setDraft(null)} />
    </Group>
  )
}
