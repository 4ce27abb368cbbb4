import { CornerDownLeft, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Prompt } from '../../../../src-preload/contract/library.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { TextInput } from '../../../shared/ui/Field.tsx'
import { useList } from '../../../stores/chatList.ts'
import { useLibrary } from '../../../stores/library.ts'
import { PromptEdit, PromptFill } from './PromptForms.tsx'
import { closePrompts, matchingPrompts, removePrompt, showPage, takePrompt, usePromptPage } from './prompts.ts'
import { UndoNote } from './undo.tsx'

/** The prompt library: find, use, edit, delete. */
export function PromptDialog() {
  const { t } = useTranslation('library')
  const open = useList((store) => store.dialog?.show === 'prompts')
  const page = usePromptPage()
  const titles = {
    list: () => t('prompts'),
    edit: (prompt: Prompt | null) => (prompt ? t('promptEdit', { name: prompt.name }) : t('promptNew')),
    fill: (prompt: Prompt | null) => t('promptFill', { name: prompt?.name ?? '' }),
  }
  const prompt = page.page === 'list' ? null : page.prompt
  const about = { list: t('promptsAbout', { example: '{{name}}' }), edit: null, fill: t('promptFillAbout') }
  return (
    <Dialog
      open={open}
      onClose={closePrompts}
      title={titles[page.page](prompt)}
      about={about[page.page]}
      width="wide"
      stayOnOutsideClick={page.page !== 'list'}
    >
      {page.page === 'list' ? (
        <List />
      ) : page.page === 'edit' ? (
        <PromptEdit key={prompt?.id ?? 'new'} prompt={prompt} />
      ) : (
        <PromptFill key={page.prompt.id} prompt={page.prompt} />
      )}
    </Dialog>
  )
}

function List() {
  const { t } = useTranslation('library')
  const prompts = useLibrary((store) => store.prompts)
  const [text, setText] = useState('')
  const shown = matchingPrompts(prompts, text)
  return (
    <>
      <div className="flex items-center gap-2">
        <TextInput
          aria-label={t('promptsFind')}
          placeholder={t('promptsFind')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button icon={Plus} onClick={() => showPage({ page: 'edit', prompt: null })}>
          {t('promptNew')}
        </Button>
      </div>
      {prompts.length === 0 ? (
        <div className="py-4 text-center">
          <p className="font-semibold">{t('promptsEmpty')}</p>
          <p className="mt-1 text-soft">{t('promptsEmptyAbout')}</p>
        </div>
      ) : shown.length === 0 ? (
        <p className="text-soft [overflow-wrap:anywhere]">{t('promptsNoMatch', { text })}</p>
      ) : (
        <ul className="list-prompts" aria-label={t('prompts')}>
          {shown.map((prompt) => (
            <Line key={prompt.id} prompt={prompt} />
          ))}
        </ul>
      )}
      <UndoNote />
    </>
  )
}

function Line({ prompt }: { prompt: Prompt }) {
  const { t } = useTranslation('library')
  const { name } = prompt
  return (
    <li className="list-prompt">
      <button
        type="button"
        className="list-prompt-text"
        aria-label={t('promptUseOf', { name })}
        onClick={() => takePrompt(prompt)}
      >
        <b dir="auto">{name}</b>
        <span dir="auto">{prompt.text.slice(0, 200)}</span>
      </button>
      <Button size="small" icon={CornerDownLeft} aria-hidden tabIndex={-1} onClick={() => takePrompt(prompt)}>
        {t('promptUse')}
      </Button>
      <IconButton
        icon={Pencil}
        size="small"
        label={t('promptEditOf', { name })}
        onClick={() => showPage({ page: 'edit', prompt })}
      />
      <IconButton
        icon={Trash2}
        size="small"
        label={t('promptRemoveOf', { name })}
        onClick={() => void removePrompt(prompt.id)}
      />
    </li>
  )
}
