import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useStudio } from '../../../shared/studioContext.ts'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { useCall } from '../../../shared/useCall.ts'
import { usePrograms } from '../../../stores/programs.ts'
import { attempt } from '../actions.ts'
import { readPrograms, rewritePrograms } from './actions.ts'

interface OldKeysProps {
  /** The app that had another key before, or null for a new app. */
  app: { id: string } | null
  /** Its new key, while it is in memory. */
  replaced: { key: string } | null
}

/** After a key was replaced: offers to write the new one to the files of all connected programs of the app. */
export function OldKeys({ app, replaced }: OldKeysProps) {
  const { t } = useTranslation('programs')
  const studio = useStudio()
  const { busy, run } = useCall()
  const { connected } = usePrograms()
  useEffect(() => void attempt(readPrograms), [])
  const count = connected.filter((one) => one.appId === app?.id && one.state === 'keyReplaced').length
  if (!app || !replaced || count === 0) return null
  const write = () => run(() => attempt(() => rewritePrograms(studio, app.id, replaced.key)))
  return (
    <Notice
      kind="warn"
      title={t('otherFiles.title', { count })}
      action={{ label: t('otherFiles.write'), onClick: write, busy }}
    />
  )
}
