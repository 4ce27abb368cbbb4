const mayHaveWorked = 'A primeira tentativa já pode ter causado trabalho e custo.'

/** One entry for every kind. No text may say that nothing was charged. */
const kinds = {
  invalid_request: {
    title: 'O serviço rejeitou esta solicitação',
    meaning: 'A solicitação não é válida para este modelo (400). Altere-a antes de tentar de novo.',
    action: 'Editar',
  },
  unauthorized: {
    title: 'O serviço rejeitou esta chave de API',
    meaning: 'A chave de API não é válida (401). Verifique-a nos ajustes.',
    action: 'Verificar chave',
  },
  insufficient_credits: {
    title: 'Créditos insuficientes',
    meaning:
      'A conta não tem SC suficientes para esta solicitação (402). Adicione créditos onde você abriu a conta e tente de novo.',
    action: 'Tentar de novo',
  },
  forbidden: {
    title: 'Sem permissão',
    meaning: 'A chave de API não tem permissão para isto (403). Use outra chave ou fale com quem gerencia sua conta.',
    action: 'Trocar chave',
  },
  not_found: {
    title: 'Modelo ou endereço não encontrado',
    meaning:
      'O serviço não conhece este modelo ou endereço (404). Escolha outro modelo ou verifique a URL base nos ajustes.',
    action: 'Ver endereço',
  },
  rate_limited: {
    title: 'Solicitações demais',
    meaning: 'Um limite de frequência ou de capacidade foi atingido (429). Espere um momento e tente de novo.',
    action: 'Tentar de novo',
  },
  internal: {
    title: 'Erro do serviço',
    meaning: `O serviço informou um erro interno (500). A solicitação não foi repetida automaticamente. ${mayHaveWorked}`,
    action: 'Tentar de novo',
  },
  not_implemented: {
    title: 'Não oferecido pelo serviço',
    meaning: 'O serviço não implementa isto (501). Use as conversas.',
    action: 'Abrir conversas',
  },
  bad_gateway: {
    title: 'O serviço não conseguiu acessar o modelo',
    meaning: `O serviço teve um erro de roteamento ou de um servidor de origem (502). ${mayHaveWorked}`,
    action: 'Tentar de novo',
  },
  unavailable: {
    title: 'O serviço não está disponível',
    meaning: `O serviço pede para tentar mais tarde (503). ${mayHaveWorked}`,
    action: 'Tentar de novo',
  },
  gateway_timeout: {
    title: 'O modelo demorou demais',
    meaning: `O serviço deixou de esperar pelo modelo (504). ${mayHaveWorked}`,
    action: 'Tentar de novo',
  },
  unexpected_status: {
    title: 'Resposta inesperada',
    meaning: 'O serviço respondeu com um status que este programa não esperava.',
    action: 'Tentar de novo',
  },
  connect_failed: {
    title: 'Não foi possível acessar o serviço',
    meaning: 'Nada responde neste endereço. Verifique o endereço e sua rede.',
    action: 'Ver endereço',
  },
  connect_timeout: {
    title: 'A conexão demorou demais',
    meaning: 'O endereço não aceitou a conexão. Sua rede pode estar lenta, ou um firewall pode bloqueá-la.',
    action: 'Tentar de novo',
  },
  tls_failed: {
    title: 'Sem conexão segura',
    meaning: 'Não foi possível verificar o certificado do serviço. Nada foi enviado. Verifique o endereço.',
    action: 'Ver endereço',
  },
  headers_timeout: {
    title: 'Sem resposta a tempo',
    meaning: 'A solicitação foi enviada, mas nenhuma resposta começou. Ela ainda pode ser cobrada.',
    action: 'Tentar de novo',
  },
  idle_timeout: {
    title: 'A resposta parou',
    meaning: 'Não chegou mais texto. Tentar de novo pede uma nova resposta, que tem custo outra vez.',
    action: 'Tentar de novo',
  },
  connection_lost: {
    title: 'A conexão foi perdida',
    meaning: 'A conexão terminou antes de a resposta estar completa. Ela ainda pode ser cobrada.',
    action: 'Tentar de novo',
  },
  malformed_reply: {
    title: 'Resposta ilegível',
    meaning:
      'A resposta não corresponde ao seu tipo de conteúdo. O serviço pode ter um erro, ou este não é o endereço do serviço.',
    action: 'Tentar de novo',
  },
  incomplete_stream: {
    title: 'A resposta está incompleta',
    meaning:
      'A resposta terminou sem um motivo do fim. Tentar de novo pede uma nova resposta, que tem custo outra vez.',
    action: 'Tentar de novo',
  },
  foreign_address: {
    title: 'Endereço bloqueado',
    meaning: 'O serviço indicou um arquivo fora da sua URL base. Sua chave não é enviada para lá.',
    action: 'Ver endereço',
  },
  cancelled: {
    title: 'Parada',
    meaning: 'A solicitação foi cancelada. Ela não é repetida automaticamente.',
    action: 'Tentar de novo',
  },
  would_wait: {
    title: 'Não enviada: teria de esperar',
    meaning: 'A fila está ocupada, e este app pediu para não esperar. A solicitação não foi enviada.',
    action: 'Tentar de novo',
  },
  queue_full: {
    title: 'Fila cheia',
    meaning: 'Há solicitações demais em espera. Esta não foi enviada. Espere até algumas terminarem.',
    action: 'Tentar de novo',
  },
  queue_timeout: {
    title: 'Tempo de fila esgotado',
    meaning: 'A solicitação esperou demais na fila e não foi enviada.',
    action: 'Tentar de novo',
  },
  bad_input: {
    title: 'Verifique os dados',
    meaning: 'Um valor está faltando ou não é válido. Corrija-o e tente de novo.',
    action: 'Editar',
  },
  not_connected: {
    title: 'Sem conexão',
    meaning: 'Não há conexão, ou falta a chave de API dela. Conecte-se nos ajustes.',
    action: 'Conectar',
  },
  connection_changed: {
    title: 'A conexão mudou',
    meaning: 'A solicitação não foi enviada, porque a conexão mudou antes. Tente de novo para usar a nova conexão.',
    action: 'Tentar de novo',
  },
  keychain_missing: {
    title: 'Sem chaveiro neste computador',
    meaning: 'Não é possível armazenar a chave. Ela só pode ser usada nesta sessão.',
    action: 'Abrir ajustes',
  },
  keychain_locked: {
    title: 'O chaveiro está bloqueado',
    meaning: 'Desbloqueie o chaveiro no seu sistema e verifique de novo.',
    action: 'Verificar de novo',
  },
  no_such_item: {
    title: 'Não encontrado',
    meaning: 'Este item foi excluído, aqui ou em outra janela.',
    action: 'Abrir conversas',
  },
  busy: {
    title: 'Já em andamento',
    meaning: 'A mesma operação está em andamento. Espere até ela terminar.',
    action: 'Tentar de novo',
  },
  folder_in_use: {
    title: 'A pasta de dados está em uso',
    meaning: 'Outro Inference Studio a está usando. Feche-o primeiro.',
    action: 'Recarregar',
  },
  store_newer: {
    title: 'Os dados são de uma versão mais nova',
    meaning:
      'Uma versão mais nova do Inference Studio gravou estes dados. Atualize o Inference Studio. Nada foi alterado.',
    action: 'Copiar detalhes',
  },
  store_damaged: {
    title: 'Não é possível ler os dados',
    meaning: 'O banco de dados está danificado. Faça primeiro uma cópia da pasta de dados.',
    action: 'Mostrar pasta',
  },
  disk_full: {
    title: 'O disco está cheio',
    meaning: 'Não é possível salvar mais nada. Libere espaço e tente de novo.',
    action: 'Mostrar pasta',
  },
  not_writable: {
    title: 'Sem permissão para gravar',
    meaning:
      'O Inference Studio não pode gravar nesta pasta. Dê permissão de gravação à sua conta de usuário e tente de novo.',
    action: 'Mostrar pasta',
  },
  too_many_open_files: {
    title: 'Arquivos abertos demais',
    meaning: 'O Inference Studio não pode abrir mais arquivos agora. Feche outros programas e tente de novo.',
    action: 'Tentar de novo',
  },
  database_locked: {
    title: 'O banco de dados está bloqueado',
    meaning: 'Outro programa, como um navegador de bancos de dados, o bloqueou. Feche esse programa e tente de novo.',
    action: 'Tentar de novo',
  },
  port_taken: {
    title: 'A porta está em uso',
    meaning: 'Outro programa usa esta porta. Escolha outra porta nos ajustes.',
    action: 'Alterar porta',
  },
  bug: {
    title: 'Erro interno',
    meaning: 'Algo deu errado no Inference Studio, não no serviço. Os detalhes ajudam a encontrar a causa.',
    action: 'Copiar detalhes',
  },
}

/** Replaces `meaning` on the Settings page, for kinds whose general text refers to Settings. */
const inSettings = {
  unauthorized: 'A chave de API não é válida (401). Informe-a de novo ou use outra.',
  not_found: 'O serviço não conhece este modelo ou endereço (404). Verifique a URL base.',
  not_connected: 'Não há conexão, ou falta a chave de API dela.',
  port_taken: 'Outro programa usa esta porta. Escolha outra porta.',
}

/** Texts for `unexpected_status`, by what the status calls for. */
const statuses = {
  informational: {
    title: 'Sem resposta final',
    meaning: `O serviço enviou uma resposta provisória, mas nenhuma final ({{status}}). ${mayHaveWorked}`,
  },
  empty: {
    title: 'Resposta sem conteúdo',
    meaning: 'O serviço respondeu sem o conteúdo esperado ({{status}}).',
  },
  redirect: {
    title: 'O serviço redireciona para outro lugar',
    meaning:
      'O serviço respondeu com um redirecionamento ({{status}}). A chave não é enviada a outro lugar: verifique a URL base.',
  },
  method: {
    title: 'Não é possível neste endereço',
    meaning:
      'O serviço não aceita este tipo de solicitação neste endereço ({{status}}). Verifique a URL base nos ajustes.',
  },
  format: {
    title: 'Formato não aceito',
    meaning: 'O serviço não aceita o formato desta solicitação ({{status}}). Use outro formato.',
  },
  proxy: {
    title: 'A rede pede login',
    meaning:
      'Uma rede ou um proxy entre este computador e o serviço pede que você faça login ({{status}}). Faça login na rede e tente de novo.',
  },
  timeout: {
    title: 'A solicitação demorou demais para chegar',
    meaning: 'O serviço não recebeu a solicitação inteira a tempo ({{status}}). Verifique sua rede e tente de novo.',
  },
  conflict: {
    title: 'Conflito no serviço',
    meaning:
      'O serviço informou um conflito com outra solicitação ou com seu estado atual ({{status}}). Tente de novo daqui a pouco.',
  },
  gone: {
    title: 'Não está mais disponível',
    meaning:
      'Este endereço ou modelo não existe mais no serviço ({{status}}). Escolha outro modelo ou verifique a URL base nos ajustes.',
  },
  length: {
    title: 'Tamanho obrigatório',
    meaning: 'O serviço precisa saber o tamanho de uma solicitação antes de ela chegar ({{status}}).',
  },
  tooLarge: {
    title: 'Grande demais para o serviço',
    meaning:
      'A solicitação é maior do que o serviço aceita ({{status}}). Reduza-a ou divida-a antes de tentar de novo.',
  },
  addressTooLong: {
    title: 'Endereço longo demais',
    meaning: 'O endereço da solicitação é mais longo do que o serviço aceita ({{status}}).',
  },
  range: {
    title: 'Parte não disponível',
    meaning: 'O serviço não tem a parte solicitada do arquivo ({{status}}).',
  },
  unprocessable: {
    title: 'O serviço não pode processar esta solicitação',
    meaning:
      'O serviço entendeu a solicitação, mas não pode processá-la ({{status}}). Altere-a antes de tentar de novo.',
  },
  joke: {
    title: 'O serviço recusou esta solicitação',
    meaning: 'O serviço recusou a solicitação: “Sou um bule de chá” ({{status}}).',
  },
  wrongHost: {
    title: 'Servidor errado',
    meaning:
      'A solicitação chegou a um servidor que não é responsável por este endereço ({{status}}). Verifique a URL base nos ajustes.',
  },
  early: {
    title: 'Cedo demais',
    meaning: 'O serviço ainda não quer processar a solicitação ({{status}}). Tente de novo daqui a pouco.',
  },
  upgrade: {
    title: 'É necessário outro protocolo',
    meaning:
      'O serviço pede outro protocolo ou uma versão mais nova dele ({{status}}). Verifique a URL base nos ajustes.',
  },
  headersTooLarge: {
    title: 'Cabeçalhos grandes demais',
    meaning: 'Os cabeçalhos da solicitação são maiores do que o serviço aceita ({{status}}).',
  },
  legal: {
    title: 'Não disponível por motivos legais',
    meaning: 'O serviço não pode responder a esta solicitação por motivos legais ({{status}}).',
  },
  client: {
    title: 'O serviço recusou esta solicitação',
    meaning: 'O serviço recusou a solicitação ({{status}}). Altere-a antes de tentar de novo.',
  },
  storage: {
    title: 'O serviço está sem armazenamento',
    meaning: 'O serviço não tem mais armazenamento para esta solicitação ({{status}}). Tente mais tarde.',
  },
  unreachable: {
    title: 'Não foi possível acessar o serviço',
    meaning: `Um gateway não conseguiu acessar o serviço ({{status}}). ${mayHaveWorked}`,
  },
  server: {
    title: 'Erro do serviço',
    meaning: `O serviço informou um erro ({{status}}). ${mayHaveWorked}`,
  },
  unassigned: {
    title: 'Status desconhecido',
    meaning: 'O serviço respondeu com um status que o HTTP não define ({{status}}).',
  },
}

export const problems = {
  storage: {
    title: 'Não é possível salvar alterações',
    meaning: 'Até lá, novas respostas podem não ser salvas.',
    action: 'Tentar de novo',
  },
  kinds,
  statuses,
  inSettings,
  said: 'O serviço diz: “{{message}}”',
  wait: 'O serviço pede para esperar {{seconds}} s.',
  kept: 'A resposta está incompleta. O que chegou está salvo.',
  facts: {},
}
