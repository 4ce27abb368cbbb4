import { ArrowUp, Pencil, Plus, RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings, TextAction } from '../../../src-preload/contract/app.ts'
import { useKeysOf } from '../../shared/commands/useKeys.ts'
import { actionsOf, nameOf } from '../../shared/textActions/builtIn.ts'
import { menuCommand } from '../../shared/textActions/commands.ts'
import { showToast } from '../../shared/toasts.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { Group, SettingModel, SettingSwitch } from './Group.tsx'
import { type ActionDraft, TextActionDialog } from './TextActionDialog.tsx'
import { useSave } from './useSave.ts'

/** The contract's limit. */
const most = 50

/** Actions on selected text: their model, the toolbar, and the prompts. */
export function TextActionsSettings({ settings }: { settings: Settings }) {
  const { t } = useTranslation('textActions')
  const save = useSave()
  const keys = useKeysOf(menuCommand)
  const [draft, setDraft] = useState<ActionDraft | null>(null)
  const [isResetting, setResetting] = useState(false)
  const actions = actionsOf(settings)
  const set = (textActions: readonly TextAction[]): void => save({ textActions: [...textActions] })
  const saveAction = (action: TextAction): void => {
    const isNew = !actions.some(({ id }) => id === action.id)
    set(isNew ? [...actions, action] : actions.map((one) => (one.id === action.id ? action : one)))
    setDraft(null)
  }
  const remove = (action: TextAction): void => {
    set(actions.filter(({ id }) => id !== action.id))
    showToast({
      id: `text-action-${action.id}`,
      text: t('settings.removed', { name: nameOf(action) }),
      action: { label: t('settings.undo'), onClick: () => set(actions) },
    })
  }
  const moveUp = (at: number): void => {
    const [moved, before] = [actions[at], actions[at - 1]]
    if (moved && before) set([...actions.slice(0, at - 1), moved, before, ...actions.slice(at + 1)])
  }
  return (
    <Group
      title={t('settings.title')}
      about={t('settings.about')}
      actions={
        <>
          {settings.textActions !== null && (
            <Button icon={RotateCcw} onClick={() => setResetting(true)}>
              {t('settings.reset')}
            </Button>
          )}
          <Button icon={Plus} disabled={actions.length >= most} onClick={() => setDraft({ action: null })}>
            {t('settings.add')}
          </Button>
        </>
      }
    >
      {actions.length === 0 && <p className="text-s text-soft">{t('settings.none')}</p>}
      <ul className="flex flex-col">
        {actions.map((action, at) => {
          const name = nameOf(action)
          return (
            <li key={action.id} className="flex items-center gap-1 py-1">
              <div className="min-w-0 flex-1">
                <div className="truncate font-[520]">{name}</div>
                <div className="truncate text-faint text-s">{action.prompt}</div>
              </div>
              <IconButton
                icon={ArrowUp}
                label={t('settings.up', { name })}
                disabled={at === 0}
                onClick={() => moveUp(at)}
              />
              <IconButton icon={Pencil} label={t('settings.edit', { name })} onClick={() => setDraft({ action })} />
              <IconButton icon={Trash2} label={t('settings.remove', { name })} onClick={() => remove(action)} />
            </li>
          )
        })}
      </ul>
      {actions.length >= most && <p className="text-s text-soft">{t('settings.most')}</p>}
      <SettingModel
        field="textActionModel"
        label={t('settings.model')}
        hint={t('settings.modelHint')}
        none={t('settings.modelNone')}
      />
      <SettingSwitch
        field="textActionToolbar"
        label={t('settings.toolbar')}
        hint={t('settings.toolbarHint', { keys })}
      />
      <TextActionDialog draft={draft} actions={actions} onSave={saveAction} onClose={() => setDraft(null)} />
      <ConfirmDialog
        open={isResetting}
        onClose={() => setResetting(false)}
        title={t('settings.reset')}
        about={t('settings.resetAbout')}
        confirm={t('settings.resetConfirm')}
        onConfirm={() => {
          setResetting(false)
          save({ textActions: null })
        }}
      />
    </Group>
  )
}
