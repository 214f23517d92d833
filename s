1 Q0 b 1 1 s
1 Q0 a 2 1 s
2 Q0 c 1 1 s
