// The words of the language. Only the reserved words cannot be names; every other keyword is one by its place
// alone (see `name` in the parser).
lexer grammar StnLexer;

// Reserved
IF: 'if';
THEN: 'then';
ELSE: 'else';
AND: 'and';
OR: 'or';
NOT: 'not';
TRUE: 'true';
FALSE: 'false';

// Statements
STENCIL: 'stencil';
PARAM: 'param';
LET: 'let';
GRID: 'grid';
FIELD: 'field';
COEF: 'coef';
INIT: 'init';
BOUNDARY: 'boundary';
STEP: 'step';
STEPS: 'steps';
OUTPUT: 'output';
TEMP: 'temp';
FN: 'fn';
SHAPE: 'shape';
SCALAR: 'scalar';
INJECT: 'inject';
RECORD: 'record';
MONITOR: 'monitor';
SERIES: 'series';
STOP: 'stop';

// Parts of statements
FROM: 'from';
TO: 'to';
IN: 'in';
AT: 'at';
ON: 'on';
WHEN: 'when';
WHERE: 'where';
EVERY: 'every';
POINTS: 'points';
SIGNAL: 'signal';
SPACING: 'spacing';

LPAREN: '(';
RPAREN: ')';
LBRACKET: '[';
RBRACKET: ']';
LBRACE: '{';
RBRACE: '}';
COLON: ':';
SEMICOLON: ';';
COMMA: ',';
DOT: '.';
ASSIGN: '=';
PLUS_ASSIGN: '+=';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
CARET: '^';
EQ: '==';
NE: '!=';
LE: '<=';
LT: '<';
GE: '>=';
GT: '>';

INTEGER: DIGIT+;
REAL: (DIGIT+ '.' DIGIT* | '.' DIGIT+) EXPONENT? | DIGIT+ EXPONENT;
NAME: LETTER (LETTER | DIGIT)*;
STRING: '"' ~["\r\n]* '"';

// Kept aside: the parser sees none, the formatter all of them.
COMMENT: ('//' ~[\r\n]* | '/*' .*? '*/') -> channel(HIDDEN);
SPACE: [ \t\r\n\f]+ -> skip;

// What no program may contain. Each is a token, so that the messages are written in one place and not by the
// lexer.
OPEN_STRING: '"' ~["\r\n]*;
OPEN_COMMENT: '/*';
BAD_NAME: DIGIT+ ('.' DIGIT*)? EXPONENT? LETTER (LETTER | DIGIT)*;
BAD_CHARACTER: [\u007F]+ | '&&' | '||' | .; // bytes past ASCII arrive as 7F, one for one

fragment DIGIT: [0-9];
fragment LETTER: [A-Za-z_];
fragment EXPONENT: [eE] [+-]? DIGIT+;
