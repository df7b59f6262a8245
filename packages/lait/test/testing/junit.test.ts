import { expect, it } from 'vitest';
import { junitReport } from '../../src/testing/junit.js';

it('counts failures and holds no text that XML cannot', () => {
  const report = junitReport([
    {
      file: 'a & b.yml',
      name: '日本語',
      seconds: 1.5,
      cases: [{ name: 'one' }, { name: 'two', failure: 'said "<x>"\u0000\u001b[31m\ud800\nsecond line 👋' }],
    },
  ]);
  expect(report).toContain('<testsuites name="lait" tests="2" failures="1">');
  expect(report).toContain('<testsuite name="日本語" tests="2" failures="1" time="1.500">');
  expect(report).toContain('<testcase name="one" classname="a &amp; b.yml"/>');
  expect(report).toContain('message="said &quot;&lt;x&gt;&quot;\ufffd\ufffd[31m\ufffd"');
  expect(report).toContain('second line 👋');
});
