import type { AppState } from '../../../../src-preload/contract/app.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Skeleton } from '../../../shared/ui/Skeleton.tsx'
import { useTools } from '../../../stores/tools.ts'
import { Group } from '../Group.tsx'
import { AlwaysAllowed, Rounds } from './AlwaysAllowed.tsx'
import { Functions } from './Functions.tsx'
import { Servers } from './Servers.tsx'

/** Settings › Tools: the tools that models may call, where they run, and which of them run without asking. */
export function ToolsSection({ app }: { app: AppState }) {
  const t = useToolTranslate()
  const tools = useTools((store) => store.tools)
  const problem = useTools((store) => store.problem)
  if (!tools)
    return problem ? (
      <ProblemNotice problem={problem} noAction />
    ) : (
      <>
        <p className="sr-only">{t('pick.loading')}</p>
        <Skeleton className="w-1/2" />
        <Skeleton className="w-2/3" />
      </>
    )
  return (
    <>
      <Functions functions={tools.functions} />
      <Servers servers={tools.servers} />
      <AlwaysAllowed tools={tools} />
      {/* The key remounts the field when the number changes elsewhere. */}
      <Group>
        <Rounds key={app.settings.toolRounds} rounds={app.settings.toolRounds} />
      </Group>
    </>
  )
}
