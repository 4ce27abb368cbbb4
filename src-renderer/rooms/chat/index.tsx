import { MessageSquare } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RoomView } from '../../room.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { StageBar } from '../../ui/StageBar.tsx'

function Stage() {
  const { t } = useTranslation('chat')
  return (
    <>
      <StageBar title={t('title')} />
      <EmptyState icon={MessageSquare} title={t('title')} />
    </>
  )
}

export const chatRoom: RoomView = { Stage }
