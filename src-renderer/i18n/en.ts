import { alerts } from './en/alerts.ts'
import { appSetups } from './en/appSetups.ts'
import { audio } from './en/audio.ts'
import { chart } from './en/chart.ts'
import { chat } from './en/chat.ts'
import { chatTools } from './en/chatTools.ts'
import { common } from './en/common.ts'
import { composer } from './en/composer.ts'
import { connect } from './en/connect.ts'
import { context } from './en/context.ts'
import { data } from './en/data.ts'
import { documents } from './en/documents.ts'
import { exporting } from './en/exporting.ts'
import { handsFree } from './en/handsFree.ts'
import { help } from './en/help.ts'
import { cli } from './en/host/cli.ts'
import { cliHelp } from './en/host/cliHelp.ts'
import { core } from './en/host/core.ts'
import { desktop } from './en/host/desktop.ts'
import { images } from './en/images.ts'
import { keys } from './en/keys.ts'
import { library } from './en/library.ts'
import { lightbox } from './en/lightbox.ts'
import { markdown } from './en/markdown.ts'
import { models } from './en/models.ts'
import { notes } from './en/notes.ts'
import { offline } from './en/offline.ts'
import { opening } from './en/opening.ts'
import { palette } from './en/palette.ts'
import { preview } from './en/preview.ts'
import { problems } from './en/problems.ts'
import { programs } from './en/programs.ts'
import { projects } from './en/projects.ts'
import { proxy } from './en/proxy.ts'
import { questions } from './en/questions.ts'
import { quick } from './en/quick.ts'
import { selfCheck } from './en/selfCheck.ts'
import { sessions } from './en/sessions.ts'
import { settings } from './en/settings.ts'
import { shell } from './en/shell.ts'
import { speech } from './en/speech.ts'
import { textActions } from './en/textActions.ts'
import { transcribe } from './en/transcribe.ts'
import { usage } from './en/usage.ts'

/**
 * The English texts of the window, which are the type of every key. Only tests import the values: a window loads the files of its language
 * (`index.ts`).
 */
export const en = {
  cli,
  cliHelp,
  core,
  desktop,
  alerts,
  appSetups,
  audio,
  chart,
  common,
  shell,
  connect,
  settings,
  speech,
  proxy,
  questions,
  quick,
  problems,
  programs,
  projects,
  chat,
  composer,
  context,
  exporting,
  documents,
  handsFree,
  help,
  images,
  library,
  data,
  lightbox,
  notes,
  offline,
  opening,
  palette,
  chatTools,
  markdown,
  models,
  preview,
  textActions,
  transcribe,
  selfCheck,
  sessions,
  usage,
  keys,
}
