import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { localStore, tabStore } from '../../shared/storage.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Dialog } from '../../shared/ui/Dialog.tsx'
import { Field, TextInput } from '../../shared/ui/Field.tsx'
import { Form } from '../../shared/ui/Form.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { useCall } from '../../shared/useCall.ts'
import { Group } from './Group.tsx'
import { restartWith } from './restart.ts'

/** Deletes all data and keys after the person has typed a word, and starts as new. */
export function DataEraseAll() {
  const { t } = useTranslation(['data', 'common'])
  const studio = useStudio()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [isWaiting, setWaiting] = useState(false)
  const { busy, problem, run, clear } = useCall()
  const word = t('eraseAll.word')
  const isConfirmed = typed.trim().toLocaleLowerCase() === word.toLocaleLowerCase()
  const erase = (): void =>
    run(async () => {
      const restarts = await restartWith(async () => {
        const answer = await studio.data.deleteEverything()
        // Drafts and choices that this browser stores.
        localStore.clear()
        tabStore.clear()
        return answer
      })
      // The button stays busy until the program has restarted.
      if (restarts) return new Promise(() => undefined)
      setWaiting(true)
      setOpen(false)
    })
  return (
    <Group title={t('eraseAll.title')} about={t('eraseAll.about')}>
      {isWaiting && (
        <Notice kind="warn" role="status">
          {t('eraseAll.waiting')}
        </Notice>
      )}
      <Button
        variant="danger"
        className="self-start"
        onClick={() => {
          setTyped('')
          clear()
          setOpen(true)
        }}
      >
        {t('eraseAll.open')}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('eraseAll.askTitle')}
        about={t('eraseAll.askAbout')}
        alert
        footer={
          <>
            <Button onClick={() => setOpen(false)}>{t('common:cancel')}</Button>
            <Button type="submit" form="erase-all" variant="danger" busy={busy} disabled={!isConfirmed}>
              {t('eraseAll.confirm')}
            </Button>
          </>
        }
      >
        <Form
          id="erase-all"
          onSubmit={() => {
            if (isConfirmed) erase()
          }}
        >
          <Field label={t('eraseAll.type', { word })}>
            <TextInput value={typed} onChange={(event) => setTyped(event.target.value)} />
          </Field>
        </Form>
        {problem && <ProblemNotice problem={problem} on={{ retry: () => erase() }} />}
      </Dialog>
    </Group>
  )
}
