/** Texts of the gallery of MCP servers in Settings. */
export const mcpGallery = {
  title: 'Galeria de servidores MCP',
  about: 'Servidores conhecidos. Nada é instalado nem iniciado antes de você ver o comando e adicionar o servidor.',
  addTitle: 'Adicionar {{name}}',
  may: 'O que pode fazer',
  needs: 'O que é necessário',
  source: 'Origem',
  needed: {
    node: 'Node.js com npx neste computador. Na primeira vez, o pacote é baixado do registro npm.',
    uv: 'uv com uvx neste computador. Na primeira vez, o pacote é baixado do PyPI.',
  },
  exact: 'Comando ou endereço exato',
  withEnv: 'Com a variável {{names}}, armazenada no chaveiro, se houver um.',
  withHeaders: 'Com o cabeçalho {{names}}, armazenado no chaveiro, se houver um.',
  starts: 'Este servidor é um programa',
  connects: 'Este servidor é um endereço da web',
  warnHttp: 'Tudo o que o modelo põe em uma chamada é enviado para lá.',
  back: 'Voltar à galeria',
  addOff: 'Adicionar desativado',
  addOn: 'Adicionar e ativar',
  fields: { url: 'Endereço', secret: 'Chave', folders: 'Pastas, uma por linha' },
  hints: {
    url: 'O endereço da sua instância do SearXNG.',
    secret:
      'Armazenada no chaveiro ou, sem ele, até o Inference Studio ser encerrado. Passada somente a este servidor e nunca mais mostrada.',
    folders: 'Caminhos completos. O servidor tem acesso a estas pastas e a tudo o que há nelas.',
  },
  fault: {
    empty: 'Informe um valor.',
    url: 'Informe um endereço que comece com https:// ou http://.',
    path: 'Informe caminhos completos, como /home/ada/notas ou C:\\Notas.',
    token: 'Uma chave não tem espaços nem letras especiais.',
  },
  servers: {
    searxng: {
      about: 'Busca na web pela sua própria instância do SearXNG e lê páginas.',
      may: 'Envia termos de busca à sua instância e acessa qualquer página da web que o modelo pedir.',
      needs: 'Uma instância do SearXNG com o formato JSON ativado.',
    },
    brave: {
      about: 'Busca páginas da web, imagens, notícias e lugares com o Brave Search.',
      may: 'Envia termos de busca ao Brave, que pode cobrá-los na sua conta.',
      needs: 'Uma chave de API do Brave Search.',
    },
    fetch: {
      about: 'Lê páginas da web como Markdown.',
      may: 'Acessa qualquer endereço que o modelo pedir, também na sua própria rede.',
      needs: 'Nenhuma chave e nenhuma conta.',
    },
    filesystem: {
      about: 'Lê, busca e altera arquivos nas pastas que você escolher.',
      may: 'Lê, cria, altera, move e sobrescreve arquivos nestas pastas. O próprio servidor se limita a elas.',
      needs: 'Uma ou mais pastas. Não escolha nenhuma que contenha segredos.',
    },
    github: {
      about: 'Repositórios, issues, pull requests e workflows no GitHub.',
      may: 'Tudo o que o seu token permite. Use um token refinado (fine-grained) com poucas permissões.',
      needs: 'Um token de acesso pessoal do GitHub.',
    },
    playwright: {
      about: 'Abre uma janela de navegador controlada pelo modelo.',
      may: 'Abre qualquer página, preenche formulários, envia e baixa arquivos, em um perfil sem os seus logins. Uma das ferramentas dele executa qualquer código neste computador.',
      needs: 'Um navegador Chrome neste computador.',
    },
  },
}
