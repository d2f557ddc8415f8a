// The grammar of .stn programs. Types, edge kinds, faces and functions are plain names here, looked up later, so
// that a misspelt one gets a message of its own. A statement's keyword that does not start a statement has become
// a NAME before the parser sees it.
parser grammar StnParser;

options {
    tokenVocab = StnLexer;
}

program: statement* EOF;

statement
    : STENCIL name SEMICOLON                                        # stencilStatement
    | PARAM name COLON typeName (ASSIGN expr)? SEMICOLON            # paramStatement
    | LET name ASSIGN expr SEMICOLON                                # letStatement
    | GRID LPAREN gridDim (COMMA gridDim)* RPAREN SEMICOLON         # gridStatement
    | FIELD names COLON typeName SEMICOLON                          # fieldStatement
    | COEF name COLON typeName (ASSIGN expr | FROM STRING)? SEMICOLON          # coefStatement
    | INIT name indices? (ASSIGN expr | FROM STRING) SEMICOLON      # initStatement
    | BOUNDARY names (ASSIGN edge SEMICOLON | faceList)             # boundaryStatement
    | STEP block                                                    # stepStatement
    | STEPS expr SEMICOLON                                          # stepsStatement
    | OUTPUT name TO STRING (EVERY expr)? SEMICOLON                 # outputStatement
    | TEMP names COLON typeName SEMICOLON                           # tempStatement
    | FN name LPAREN names? RPAREN ASSIGN expr SEMICOLON            # fnStatement
    | SHAPE name ASSIGN shape (WHERE expr)? SEMICOLON               # shapeStatement
    | SCALAR name ASSIGN expr (WHERE expr)? SEMICOLON               # scalarStatement
    | INJECT name AT place PLUS_ASSIGN (expr | SIGNAL STRING) SEMICOLON        # injectStatement
    | RECORD name AT place (EVERY expr)? TO STRING SEMICOLON        # recordStatement
    | MONITOR name ASSIGN expr (WHERE expr)? (EVERY expr)? SEMICOLON # monitorStatement
    | SERIES name COLON typeName FROM STRING SEMICOLON              # seriesStatement
    | STOP (WHEN expr | ON name) SEMICOLON                          # stopStatement
    ;

gridDim: name COLON expr (SPACING expr)?;
block: LBRACE update* RBRACE;
update: name indices? ASSIGN expr (WHERE expr)? SEMICOLON;
indices: LBRACKET expr (COMMA expr)* RBRACKET;
faceList: LBRACE faceEdge* RBRACE;
faceEdge: faceNames COLON edge SEMICOLON;
faceNames: face (COMMA face)*;
face: name (DOT name)?;
edge: name expr?;
place: LPAREN expr (COMMA expr)* RPAREN | POINTS STRING;
shape: expr | pointSet;
pointSet: LBRACE point (COMMA point)* RBRACE;
point: LPAREN expr (COMMA expr)* RPAREN;

expr
    : LPAREN expr RPAREN                                            # parenthesised
    | INTEGER                                                       # integer
    | REAL                                                          # real
    | (TRUE | FALSE)                                                # boolean
    | name LPAREN (argument (COMMA argument)*)? RPAREN              # call
    | name indices                                                  # index
    | name DOT name                                                 # member
    | name                                                          # reference
    | <assoc = right> expr op = CARET expr                          # binary
    | MINUS expr                                                    # negation
    | expr op = (STAR | SLASH | PERCENT) expr                       # binary
    // Takes in a product, as the sign does: sum(o in s) w(o) * a[o] - 6*a is a sum less 6*a.
    | name LPAREN name IN shape RPAREN expr                         # reduction
    | expr op = (PLUS | MINUS) expr                                 # binary
    | expr op = (EQ | NE | LT | LE | GT | GE) expr                  # binary
    | NOT expr                                                      # notExpr
    | expr op = AND expr                                            # binary
    | expr op = OR expr                                             # binary
    | IF expr THEN expr ELSE expr                                   # ifExpr
    ;

argument: (name COLON)? expr;

names: name (COMMA name)*;
typeName: name;
name
    : NAME | FROM | TO | IN | AT | ON | WHEN | WHERE | EVERY | POINTS | SIGNAL | SPACING
    ;
