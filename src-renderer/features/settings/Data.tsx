import { useTranslation } from 'react-i18next'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { asSentence } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { useCall } from '../../shared/useCall.ts'
import { DataAside } from './DataAside.tsx'
import { DataBackup } from './DataBackup.tsx'
import { DataErase } from './DataErase.tsx'
import { DataEraseAll } from './DataEraseAll.tsx'
import { DataSync } from './DataSync.tsx'
import { DataUse } from './DataUse.tsx'
import { Group, Row } from './Group.tsx'
import { Path } from './Path.tsx'

/** The data folder, its size, backup and deletion. */
export function DataSection({ app }: { app: AppState }) {
  const { t } = useTranslation(['settings', 'connect', 'data'])
  const studio = useStudio()
  const { busy, problem, run } = useCall()
  const { keyFile } = app.keychain
  const look = () => run(() => studio.connection.retest())
  return (
    <>
      <Group>
        <Row name={t('data.folder')} hint={<Path path={app.dataDir} />}>
          <CopyButton text={app.dataDir} name={t('data.copyFolder')} />
        </Row>
        <Row
          name={t(keyFile ? 'data.keyFile' : 'data.keychain')}
          hint={
            app.keychain.available
              ? keyFile
                ? t(keyFile.isEncrypted ? 'data.keyFileEncrypted' : 'data.keyFilePlain', { path: keyFile.path })
                : t('data.keychainYes')
              : t('data.keychainNo', { reason: asSentence(app.keychain.reason ?? t('connect:noKeychainReason')) })
          }
        >
          {!app.keychain.available && (
            <Button busy={busy} onClick={look}>
              {t('data.keychainCheck')}
            </Button>
          )}
        </Row>
        {problem && <ProblemNotice problem={problem} on={{ retry: look, recheck: look }} />}
        <Row name={t('data:databaseFiles')} hint={t('data:databaseFilesHint')} />
      </Group>
      <DataAside />
      <DataBackup settings={app.settings} />
      <DataSync settings={app.settings} />
      <DataUse />
      <DataErase logDays={app.settings.logDays} />
      <DataEraseAll />
    </>
  )
}
