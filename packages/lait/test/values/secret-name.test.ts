import { describe, expect, it } from 'vitest';
import { isSecretName } from '../../src/values/secret-name.js';

describe('isSecretName', () => {
  it.each([
    'OPENAI_API_KEY',
    'GITHUB_TOKEN',
    'GITHUBTOKEN',
    'GH_PAT',
    'DB_PASS',
    'PGPASSWORD',
    'MYSQL_PWD',
    'AWS_SECRET_ACCESS_KEY',
    'STRIPE_KEY_PROD',
    'SLACK_TOKEN_2',
    'DB_PASSWORD1',
    'API_KEY2',
    'Authorization',
    'X-Api-Key',
    'Cookie',
    'dbPassword',
    'apikey',
  ])('knows %s', (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    'PATH',
    'PWD',
    'OLDPWD',
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
    'SSH_AUTH_SOCK',
    'XAUTHORITY',
    'TOKENIZERS_PARALLELISM',
    'KEYCLOAK_URL',
    'KEYBOARD_LAYOUT',
    'TOKEN_URL',
    'KEY_FILE',
    'COMPASS',
    'MONKEY',
    'Content-Type',
  ])('lets %s be', (name) => expect(isSecretName(name)).toBe(false));
});
