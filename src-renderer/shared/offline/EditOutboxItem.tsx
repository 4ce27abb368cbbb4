import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OutboxItem, OutboxRequest } from '../../../src-preload/contract/outbox.ts'
import { useApp } from '../../stores/app.ts'
import { useStudio } from '../studioContext.ts'
import { Button } from '../ui/Button.tsx'
import { FormDialog } from '../ui/Dialog.tsx'
import { Field, InlineField, TextInput } from '../ui/Field.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { attempt } from './actions.ts'

const counts = ['1', '2', '3', '4'] as const

/** Edits an outbox item. The item is paused during editing, so that the core does not send a half-edited request. */
export function EditOutboxItem({ item: { id, state }, onClose }: { item: OutboxItem; onClose: () => void }) {
  const { t } = useTranslation('offline')
  const studio = useStudio()
  const name = useApp(({ app }) => app?.connection.profile?.name ?? '')
  const [wish, setWish] = useState<OutboxRequest | null>(null)
  const wasHeld = state === 'held'

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per edited item
  useEffect(() => {
    let left = false
    const begin = async (): Promise<void> => {
      await studio.outbox.hold({ id, held: true })
      const found = await studio.outbox.get({ id })
      if (!left) setWish(found.request)
    }
    void attempt(begin).then((started) => started || onClose())
    return () => {
      left = true
    }
  }, [id])

  const leave = (): void => {
    onClose()
    if (!wasHeld) void attempt(() => studio.outbox.hold({ id, held: false }))
  }
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (wish && (await attempt(() => studio.outbox.update({ id, request: wish })))) onClose()
  }
  return (
    <FormDialog open onClose={leave} title={t('change.title')} about={t('change.about', { name })}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {wish ? <Fields wish={wish} onWish={setWish} /> : <Skeleton className="h-24" />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button type="button" onClick={leave}>
            {t('change.leave')}
          </Button>
          <Button type="submit" variant="primary" disabled={!wish}>
            {t('change.save')}
          </Button>
        </div>
      </form>
    </FormDialog>
  )
}

interface LongTextProps {
  label: string
  maxLength: number
  value: string
  onText: (text: string) => void
}

function LongText({ label, onText, ...area }: LongTextProps) {
  return (
    <Field label={label}>
      <TextArea {...area} dir="auto" onChange={({ target }) => onText(target.value)} />
    </Field>
  )
}

function Fields({ wish, onWish }: { wish: OutboxRequest; onWish: (wish: OutboxRequest) => void }) {
  const { t } = useTranslation('offline')
  if (wish.what === 'images') {
    return (
      <>
        <LongText
          label={t('change.prompt')}
          maxLength={100_000}
          value={wish.prompt}
          onText={(prompt) => onWish({ ...wish, prompt })}
        />
        <InlineField label={t('change.number')}>
          <Segmented
            label={t('change.number')}
            value={counts[wish.n - 1] ?? '1'}
            segments={counts.map((value) => ({ value, label: value }))}
            onChange={(value) => onWish({ ...wish, n: Number(value) })}
          />
        </InlineField>
      </>
    )
  }
  if (wish.what === 'speech') {
    return (
      <LongText
        label={t('change.text')}
        maxLength={1_000_000}
        value={wish.text}
        onText={(text) => onWish({ ...wish, text })}
      />
    )
  }
  return (
    <>
      <Field label={t('change.language')}>
        <TextInput
          maxLength={100}
          value={wish.language ?? ''}
          placeholder={t('change.notSent')}
          onChange={({ target }) => onWish({ ...wish, language: target.value || null })}
        />
      </Field>
      <Field label={t('change.hint')}>
        <TextInput
          maxLength={100_000}
          value={wish.prompt ?? ''}
          placeholder={t('change.notSent')}
          onChange={({ target }) => onWish({ ...wish, prompt: target.value || null })}
        />
      </Field>
    </>
  )
}
