/* store_vectors.h - written by `python3 tests/oracle_store.py loader`; see test_store_loader.c. */

/* clang-format off */
static const char store_text_g[] =
    ">g0 of 400\012GAGCCGACACAGTCGCAGATCCGTTAACCCCGGAGGCTAAACAGCTTTGGACGCCTTGGA\012GAACCTGG"
    "CGCATTCCACTGTTGGTGTTATCTGGAATTAGCGCTGTAGTAGGGAGTGTGG\012ATTAGTCTTTCTTTCCAATCCC*TAGC"
    "ATCCCATAAAGTAGGGAGGGCTGAAgagccgac\012acagtcgcagatccgttaaccccggaggctaaacagctttggacgc"
    "cttTCGCCTTGACG\012CCCCGCGTTGTAACCGGGGGCGGAGAGGATTCAAGCATTTACTTCATGAGCAAAAAACGT\012CCGA"
    "TCCACCGTCAAGCTAACAGCGGGATCGTAAAACTACAACCGCGGTNNNNNNNNNNN\012NNNNNNNNNNRNNNNNNNNNNNN"
    "NNNNNNNNNNCAGTTGT\012>g1 of 0\012>g2 of 31\012TCGCTCTCGACGGAATGCTGCTATGGTnCAA\012>g3 of 150\012"
    "TGACCTGTCAACACCCGCTAAACAGTTGACTTCtgacctgtcaacacccgctaaCRACNN\012NNNNNNNNNNNNNNGCTCT"
    "GTCCAGTGT*GTCGTATCCGTCACTTTTGGCACAAACACGA\012CGCAGGCACATTTTTGTCTAATGCGAGTAC\012>g4 of "
    "5\012ACCnC\012>g5 of 64\012TGRGCACCGGGCAGTACACGACGACGGAtgcgcaccgGCGTNNNNNNNA*AGAACATGGC\012T"
    "CTC\012";

static const char store_text_h[] =
    ">h0 of 90\012TGGATGACGAAGGGTTTGAATRGGCTACGTTGGTTTNNNNNNNNNNTACT*ATTTGCCTA\012CTCTCACTC"
    "ATCGCCTGtggatgacgaagC\012>h1 of 1\012T\012>h2 of 240\012CCTCAGTACGCGTCTGCATCCCTCCAGAATTTGCTT"
    "TTTACCTATTATCGACCTACTGCG\012CARGGCCGGATAAAATCCNNNNNNNNNNNNNNNNNNNNNNNNNNCATGACCTGCC"
    "CATGA\012AGCCGCATGCTGTCGCCACATATCAGTCGTAGAAGTCATTGTCAGTAGTATTTTAGTAAT\012TTGAGcctcagta"
    "cgcgtctgcatccctccagaatttgcA*ATCTAGCGTCAATTTTACA\012";

static const char store_text_q[] =
    "@q0:0:0/1 x y\012\012+\012\012@q1:1:1/2 x y\012\012+\012\012@q2:2:2/1 x y\012ATGTGCn\012+\012%9DI-4'\012@q3:3:3/2 x "
    "y\012TGGCAAn\012+\012:%.(@C:\012@q4:4:4/1 x y\012\012+\012\012@q0:5:5/2 x y\012\012+\012\012@q1:6:6/1 x y\012ACGnTCAGTA"
    "GCCGCTACAT\012+\012<:4$!7GB2C;,34%E2+@'\012@q2:7:0/2 x y\012ATGACTatgactacTCCRGTCGGTGGTCTNNN"
    "NNNGAGTAAG*GGATATCTCCTGGACTCA\012+\012;.G!60/\077I,(80=+D%!@6;A!I6B/H0'9\042*/-,\07713B6/D\077G#>,"
    "<)H!E+)E)/G/7\012@q3:8:1/1 x y\012GTATAAGnCGCCTCGGGTTTCAGTTGATCGATT\012+\012F8=$<#/)2E:%1/&A"
    ":'I44$)E);\042::HD0/\012@q4:9:2/2 x y\012AnCAACGAAATATACGTAGTCGTTTTGACGCAT\012+\01265+676=1#'<I"
    "F0@67:4!9A%9%B='/+DD7\012@q0:10:3/1 x y\012TTnCTCGATATAGTTGTTCT\012+\012\0776F(.++$=6*I\042D,:D%**"
    "\012@q1:11:4/2 x y\012G\012+\012+\012@q2:12:5/1 x y\012GCCnGGC\012+\012D2\0777!(1\012@q3:13:6/2 x y\012GGCTC*GAGG"
    "TGTCACCNggctccTGATCACAACAAGAGATCGCRTAA\012+\012%.5%)&=&9;84D30E(52!9'>\077I45C1!A)74%&\042I)"
    "@=:%6E19+\012@q4:14:0/1 x y\012TCCCGA*GCCACTCGCCGTGTCTtccRgaNNNGCCCTTACCGGCTCCT\012+\012FE.6"
    "1+)+2--0786343'$>$.\0775C/)&+,$7#!':2((/#'&!1<G\012@q0:15:1/2 x y\012\012+\012\012@q1:16:2/1 x y\012G"
    "CAAAAACTGCTA*ATCTgcaaaaTTCGCCGACTANNNNNAATRTATT\012+\01205I03/9--0)'1>,1A7)I(;</7#%4I("
    "C=914$(C5%#247BB>0\012@q2:17:3/2 x y\012T\012+\0128\012@q3:18:4/1 x y\012AGGAnAC\012+\012\0774*>1E5\012@q4:19:"
    "5/2 x y\012TGACTGCCTGAGTGACACAtgactgccGCCGTNNNRNNCGACC*CTGATACTATCAAGTAC\012+\0121-0\077@51."
    "$'/!E1-\0423EB=7\07714,:'45A;)9I#)!:D70E4A\077\042!H\077510-E-+.*8:A\012@q0:20:6/1 x y\012ATCGCTTATCA"
    "TGATTAATCCCTnAGACGGTAA\012+\012@*/A)=3=0-/$<$=G19\077\042-C%\077H\077F346@AD\012@q1:21:0/2 x y\012\012+\012\012@q"
    "2:22:1/1 x y\012AAAaaacgtARTTGAAGTACNNNNNTAA*CTGGTGGACCTACAGAGGT\012+\012I/(@4\077\077<\077H'-CI;6"
    "6F.48/\077%CB.\077&F420&25!=!9&9+$C9=$\012@q3:23:2/2 x y\012CCTGGGAAGGAGAGATGTACGGTC*TTTTTRC"
    "GGCcctgggTNNNNNG\012+\012AF*+>,@01\042'!G/7$991\0422<1C!%D)'3/BF&;4\04261$\0779(B,A-4\012@q4:24:3/1 x"
    " y\012GCTTGTnTGCGGACTTAGTGACAACAGCTGGGA\012+\012,67)130!E-A7(4<;\0773'B.,C4B8;$)#474\012@q0:25:"
    "4/2 x y\012caggatATA*TTCCGCTCGCCNNNNNGAGCAAGGAGTGGGTGCGCGRC\012+\012(.G@C1I\042<7/H4,I@>(=A!"
    ";<62IGD%@9&D;016D<6/B@&I*4D\012@q1:26:5/1 x y\012GAGCTGn\012+\01246%C%:&\012@q2:27:6/2 x y\012AATC"
    "GAGTTCTATCTATAnCAGCACCTAGAGAC\012+\0126AHE4C8\0775F#BA27+G10'@5\042@+$8/',I>&\012@q3:28:0/1 x y"
    "\012\012+\012\012@q4:29:1/2 x y\012G\012+\0122\012@q0:30:2/1 x y\012GnTGGCG\012+\0128C>\042=6+\012@q1:31:3/2 x y\012ACCnGG"
    "C\012+\012%-AHE!A\012@q2:32:4/1 x y\012AGACTCCAACAAagactccaCCAGGAGGATNRNNNNCCGACGTTGTCTTCTTG"
    "TT*TTGGT\012+\01269IHA/8+6C=6@:G%\077.&93B@.'2E2%(=<=F0A@I@=@$<B&>%6+BH+7:+'96@8#\012@q3:33:"
    "5/2 x y\012CGACCGTGCGGGGAAACCnATACCGTGCCCATC\012+\012GDH.;B>='32,3,1;$F)\0428,2.992AA/A\077$\012@q"
    "4:34:6/1 x y\012\012+\012\012@q0:35:0/2 x y\012GCTCTAGT*GACNNNgctctagtRTGTCTATCAATTCTTTTACATTCG"
    "GGCATAAGGATCG\012+\012*6(#B0;\042;6*F#:#.C!A>B28$E=0%4%$5#97;##@;5+&-A9%:9'G4E93#@-)C1\012@q"
    "1:36:1/1 x y\012TGCAGCCATCTATGACTnCC\012+\012C@-.1')-6;-.$D=>7HF5\012@q2:37:2/2 x y\012CCCTCnGA"
    "AAGGTAGTCTAC\012+\012\077\077&,EB$;E\077+=5)''*0+5\012@q3:38:3/1 x y\012TGtgcgatCACNNNNNTCRTTTAAGACAG"
    "TGTG*GGACCCCCGTTAGG\012+\012/CH)2&IG*2>5#00A/>8'A$'C>C0HF2/;F\042-3453A6\042+E4C,F\012@q4:39:4/"
    "2 x y\012GCTGTCCATGAAGGnCACAC\012+\012/%2@\077E7>$@//E:'6)#F*\012@q0:40:5/1 x y\012CnTACTGTGCCGGCA"
    "CTTAC\012+\0121IC5@GGD!:==<;\0424!,6H\012@q1:41:6/2 x y\012GCGCAGTTCTGTGGCGCTANNNNNNTTCTATCGA*T"
    "RTAGgcgcagttCGACAATCTGATA\012+\012E\077+:$!+I&&5G\0776%/<AH-3;6E;:C92(9C<21+>+/\077>.F(<&5:\042$.C"
    "\042+!C(!*9G\012@q2:42:0/1 x y\012GGAGATGCGCCCGCGnATCC\012+\012-0G@'\042B575F(4FE#GG+9\012@q3:43:1/2 "
    "x y\012T\012+\012$\012@q4:44:2/1 x y\012TTATATAGGGCGAAAnCGCC\012+\012#'+@!CGB12H%5A'HHEBF\012@q0:45:3/2 "
    "x y\012C\012+\012(\012@q1:46:4/1 x y\012CCGAAGGCAnGCTACCAGCA\012+\0122,.-/>;+@20-2/6:+I\042<\012@q2:47:5/2 "
    "x y\012T\012+\012>\012@q3:48:6/1 x y\012GCTACTATGTGCCAAGCnGT\012+\012<6C76'I-/\042%9,2.#A>BD\012@q4:49:0/2 "
    "x y\012TCTCTGGATAATGTAGAnTTATGGCGCGATTAC\012+\012/7\042G,F'2!IF:=<@%9A&D03D1'+=2I'/F@\012@q0:50"
    ":1/1 x y\012\012+\012\012@q1:51:2/2 x y\012\012+\012\012@q2:52:3/1 x y\012GCTATTACCACGGGgctattacGTCTGCGTTTA"
    "TTRCTCACTACGTTGCGCAT*AAAAGGA\012+\012%,+A9@#:@GG*23<*EG5CA$/DF;<&C.!;#1#(\0776G+<02+.\077%+#"
    ";,FI,1)(.+HA\012@q3:53:4/2 x y\012CTTGACGTAATATTRTAGCCTGTCGACGNNNNcttgacgtCCACGGCCTCAA"
    "*TCAGCAAC\012+\012G(;&45<9G;H2*2IE,5/346523.*)/5\0429:-)>%%2-#\077270:1-6\0774,D(>CG(5!!\012@q4:54"
    ":5/1 x y\012GTGCCAATGACTCGGTGCCTCTAgtgccaNNAATAC*GATRGGAAGAG\012+\01215*34$D>=#)GA7>1BIC."
    "96'//\042/#1A6=%$5\077#D=,F+H42-/:\012@q0:55:6/2 x y\012GAATGGAATTTTTCTCANNNNRTGAACCCAgaatgg"
    "AGC*GTATTGGC\012+\012\0776A7B6I-H!=<+-\07771',D/-+#!#-15>+,8%G+$!+5=A3GC;,>\012@q1:56:0/1 x y\012C"
    "GTGTAn\012+\0124!4A@'7\012@q2:57:1/2 x y\012\012+\012\012@q3:58:2/1 x y\012TGCTGACNNNNNCTGTCTGCGCCTTCGGt"
    "gctgaCTCRCGAA*CGATC\012+\012#H(\042@\077\042,3/@#12::0=F(F13/,(;$$.(!6#')/(+I%E%IG$93\012@q4:59:3/"
    "2 x y\012CGGGTGAnCATTGACAAGAT\012+\012B>-%F1()I6(B;1C3F<*E\012";

static const char store_text_r[] =
    "@r0:0:0/1 x y\012\012+\012\012@r1:1:1/2 x y\012\012+\012\012@r2:2:2/1 x y\012G\012+\012#\012@r3:3:3/2 x y\012GCAGCAn\012+\012"
    "##!!!#!\012@r4:4:4/1 x y\012\012+\012\012@r0:5:5/2 x y\012C\012+\012!\012@r1:6:6/1 x y\012A\012+\012!\012@r2:7:0/2 x y\012"
    "nCCCTAT\012+\012!!\042!\042##\012@r3:8:1/1 x y\012\012+\012\012@r4:9:2/2 x y\012GGCCAnA\012+\012!\042\042\042#!\042\012@r0:10:3/1 x"
    " y\012\012+\012\012@r1:11:4/2 x y\012A\012+\012\042\012@r2:12:5/1 x y\012CTGnTTAATGAGGGTAACAT\012+\012\042##!!!\042\042!###!#"
    "#\042\042###\012@r3:13:6/2 x y\012TAtattggcgGGAGCCGTTTCTRTAAT*CAATGACTTAAGATTCTTAGTNNNNNNAGC"
    "CTC\012+\012!!#!\042#!!!\042!\042#!!#!\042\042!\042#!##\042!##\042##\042#\042\042\042#!\042\042\042!\042!\042##\042\042\042#!!\042\042!\042\042\042!\012@r4:14:0/1 x"
    " y\012ATAnACTCGGTGTCTCTTTC\012+\012!\042\042!!###!!#\042!!\042!#!\042!\012@r0:15:1/2 x y\012AGTCGACRATGACACTGT"
    "ATGCTCagtcga*NCTATGTGAGTGACTCG\012+\012##\042#!##!!\042#!!!#!\042\042#!##\042#!!\042\042##\042##!#!\042!\042\042\042\042\042#\042#!"
    "!\012@r1:16:2/1 x y\012T\012+\012#\012@r2:17:3/2 x y\012CACATCTCACnATAAATAACAAAATTACGGGGG\012+\012\042!#\042!\042"
    "!###\042#!!!\042!##!##!\042#!\042#!##\042\042\012@r3:18:4/1 x y\012GGnGCGTGGGCCTGATGCCTTCGGCCGTAGCTT\012+\012#"
    "!###!\042#!\042!#!##!#\042\042\042!#!!#\042##\042####\012@r4:19:5/2 x y\012ACGGGGTACAGAACGAATnTTCTCTACTCGCT"
    "G\012+\012###\042##!\042#\042\042\042\042!#!\042#\042#\042!!####\042\042\042\042#\042\012@r0:20:6/1 x y\012GnTACGG\012+\012\042#!!!#!\012@r1:21:0/"
    "2 x y\012\012+\012\012@r2:22:1/1 x y\012ATGATTGCATnTGCGTCCTCTATGTGTCATTCC\012+\012!\042#\042!!#\042!!!\042!#!##!#"
    "!\042\042\042\042#\042##!!!\042!\012";

static const biost_interval store_intervals[] = {
    {0, 370, 409, -4.5, 0, 11},
    {3, 148, 183, -4, 1, 23},
    {3, 145, 184, -3, 0, 8},
    {3, 29, 54, -1.5, 1, 4},
    {0, 324, 376, -1, 0, 14},
    {2, 21, 22, 0, 1, 0},
    {0, 365, 384, 1.5, 0, 2},
    {5, 10, 57, 2, 1, 1},
    {2, 26, 43, 3, 0, 8},
    {3, 64, 79, 4.5, 1, 5},
    {2, 10, 26, 5, 0, 11},
    {5, 33, 78, -5, 1, 11},
    {3, 74, 132, -3.5, 0, 54},
    {5, 12, 22, -3, 1, 7},
    {0, -9, 4, -2, 0, 5},
    {2, -27, 25, -0.5, 1, 4},
    {0, 122, 126, 0, 0, 3},
    {2, -28, 56, 1, 1, 69},
    {2, 5, 61, 2.5, 0, 25},
    {0, 31, 82, 3, 1, 31},
    {5, 59, 65, 4, 0, 2},
    {2, -9, 31, 5.5, 1, 3},
    {0, 125, 167, -5, 0, 19},
    {3, 30, 83, -4, 1, 12},
    {5, 4, 61, -2.5, 0, 55},
    {0, 369, 376, -2, 1, 3},
    {0, -3, 42, -1, 0, 31},
    {0, 266, 268, 0.5, 1, 1},
    {0, 289, 344, 1, 0, 43},
    {0, 32, 53, 2, 1, 14},
    {0, 151, 189, 3.5, 0, 12},
    {0, 241, 281, 4, 1, 31},
    {0, 165, 222, 5, 0, 6},
    {5, 50, 72, -4.5, 1, 9},
    {2, 6, 18, -4, 0, 4},
    {0, 398, 441, -3, 1, 30},
    {0, 237, 270, -1.5, 0, 26},
    {2, 22, 69, -1, 1, 1},
    {3, -9, 13, 0, 0, 16},
    {5, 24, 48, 1.5, 1, 14},
    {0, -60, 0, -4.5, 0, 0},
    {0, 400, 401, -4, 1, 0},
    {0, 5, 5, -3, 0, 0},
    {0, -9, -8, -1.5, 1, 0},
    {0, 0, 0, -1, 0, 0},
    {0, 1000000000000000, 100000000000000000, 0, 1, 0}};

static const uint64_t store_listed[] = {3, 0, 1};

static const double store_labels[] = {0, 7, 28, 63, 112, 175, 1, 92, 197, 65, 198, 94, 4, 179, 117, 69, 35, 15, 9, 17, 39, 75, 125, 189};

static const biost_regions store_regions[] = {
    {.kind = BIOST_REGIONS_GRID, .strands = BIOST_STRANDS_BOTH, .edge = BIOST_EDGE_INSIDE, .jitter = 3},
    {.kind = BIOST_REGIONS_NONE},
    {.kind = BIOST_REGIONS_GRID, .stride = 11, .sequences = store_listed, .sequence_count = 2}};

enum { STORE_G, STORE_GH, STORE_Q, STORE_QR, STORE_H, STORE_E };

static const store_case store_cases[] = {
    {{.batch_rows = 60, .row_bases = 64, .seed = 0x7cbb5a6d12d9b29du, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.pad_value = 9, .mask = 1,
      .mask_dtype = BIOST_DTYPE_F32, .filter.max_length = 300, .augment.reverse_complement = 0.5f,
      .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.fit = BIOST_FIT_SUMMIT, .regions.edge = BIOST_EDGE_INSIDE, .regions.intervals =
      store_intervals, .regions.interval_count = 40, .regions.max_lower_fraction = 0.3f},
     1, 0, {STORE_G}, {0}, {0},
     {{3, 131, 0x1eecbede56408c52u},
      {3, 131, 0x759677e0a42bd1c1u},
      {3, 131, 0x69580844712eb552u}}},
    {{.batch_rows = 24, .row_bases = 9, .seed = 0x215a4348f36f7cddu, .long_records = BIOST_LONG_HEAD,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .encoding.pad_value = 9,
      .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32, .mask = 1, .mask_dtype =
      BIOST_DTYPE_F32, .filter.every_record = 2, .augment.reverse_complement = 0.5f, .augment.substitute =
      0.1f},
     1, 0, {STORE_Q}, {0}, {0},
     {{2, 30, 0xde25316c3262396du},
      {2, 30, 0x28b54db2fa7a9850u},
      {2, 30, 0x710707c6d98ca9f8u}}},
    {{.batch_rows = 12, .row_bases = 1, .pad_multiple = 8, .seed = 0x1bc2e77668fb8e37u, .long_records =
      BIOST_LONG_HEAD, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY",
      .encoding.lower_case = BIOST_LOWER_CASE_N, .filter.subsample_from = 0.25f, .filter.subsample_below =
      0.75f, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f,
      .split.strip = "._", .augment.crop_bases = 1, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype =
      BIOST_DTYPE_F32},
     0, 0, {STORE_Q}, {0}, {0},
     {{2, 24, 0x7bd4f9f32e0fbf4eu},
      {2, 24, 0x6dc8ece0a517f10au},
      {2, 24, 0x27c16435458b10c7u}}},
    {{.batch_rows = 60, .row_bases = 16, .seed = 0x186f58fac4a61af4u, .long_records = BIOST_LONG_SPLIT,
      .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32,
      .encoding.pad_value = 9, .mask = 1, .filter.max_n_fraction = 0.1f, .augment.inject_n = 0.05f},
     1, 1, {STORE_G}, {1}, {0},
     {{1, 35, 0xe5afe46a29f59206u},
      {1, 35, 0x899641408e91fb20u},
      {1, 35, 0x09769b7531b4cdd2u}}},
    {{.batch_rows = 12, .row_bases = 33, .seed = 0x2249cec8c1ecc469u, .tail = BIOST_TAIL_DROP,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .encoding.pad_value = 9,
      .encoding.pad_side = BIOST_PAD_LEFT, .filter.min_length = 9, .augment.reverse_complement = 0.5f,
      .regions.kind = BIOST_REGIONS_GRID, .regions.edge = BIOST_EDGE_DROP, .regions.jitter = 1,
      .regions.stride = 31, .regions.forbid_lower = 1, .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_GH}, {0}, {0},
     {{1, 12, 0x8472fdda20d4d980u},
      {1, 12, 0x4a313614476e88e6u},
      {1, 12, 0x0576ab231dbf9c91u}}},
    {{.batch_rows = 60, .row_bases = 16, .pad_multiple = 40, .seed = 0xb6ff4226a2d54230u, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .mask =
      1, .mask_dtype = BIOST_DTYPE_F32, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from =
      0.25f, .split.below = 0, .labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32,
      .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.strands = BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_START, .regions.edge =
      BIOST_EDGE_DROP, .regions.jitter = 40, .regions.intervals = store_intervals, .regions.interval_count
      = 46},
     0, 0, {STORE_GH}, {0}, {0},
     {{3, 131, 0xe0d0f34ee44aedfeu},
      {3, 131, 0x5ae449183d24107bu},
      {3, 131, 0xad6960aaaa14ce52u}}},
    {{.batch_rows = 24, .row_bases = 1, .pad_multiple = 8, .seed = 0xc60ca2df82f22ccau, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .quality.kind =
      BIOST_QUALITY_PHRED, .mask = 1, .mask_in_x = 1, .filter.max_n_fraction = 0.1f, .split.salt = 5,
      .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._",
      .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_F32},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 24, 0xa25293ea97b51ec8u},
      {1, 24, 0x233072f1ca12bc4du},
      {1, 24, 0xc36fb96a7a389687u}}},
    {{.batch_rows = 60, .row_bases = 0, .max_row_bases = 37, .seed = 0x16c875107d45456fu, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_F16, .encoding.channels = "CATG", .quality.kind = BIOST_QUALITY_PHRED, .mask = 1,
      .mask_in_x = 1, .filter.max_error_rate = 0.1f, .filter.first_records = 5,
      .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_I32},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 1, 0xc44f94ae678e2e2au},
      {1, 1, 0x9c795dda284ca332u},
      {1, 1, 0x48f6ffe1f6b70a32u}}},
    {{.batch_rows = 12, .row_bases = 33, .seed = 0x941c979349519dc0u, .encoding.dtype = BIOST_DTYPE_F32,
      .encoding.channels = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC, .encoding.lower_case =
      BIOST_LOWER_CASE_N, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_in_x = 1, .filter.forbid_n
      = 1, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f,
      .split.strip = "._", .augment.inject_n = 0.05f, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows =
      131, .regions.kind = BIOST_REGIONS_GRID, .regions.strands = BIOST_STRANDS_BOTH, .regions.minus_pad =
      BIOST_MINUS_PAD_END, .regions.forbid_lower = 1},
     1, 0, {STORE_GH}, {0}, {0},
     {{11, 131, 0xde3babcba7240aeau},
      {11, 131, 0xfa4af071a31d3373u},
      {11, 131, 0xa174c5c726a07e0du}}},
    {{.batch_rows = 12, .row_bases = 64, .pad_multiple = 8, .seed = 0x4dea58dc767851c1u, .tail =
      BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .filter.forbid_n = 1,
      .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32,
      .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.fit = BIOST_FIT_SUMMIT, .regions.edge = BIOST_EDGE_DROP, .regions.intervals =
      store_intervals, .regions.interval_count = 46},
     1, 0, {STORE_GH}, {0}, {0},
     {{10, 120, 0xa900c3b2f1a1efa9u},
      {10, 120, 0x03043a292ab776deu},
      {10, 120, 0x993aabede78cef81u}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 30, .pad_multiple = 8, .seed =
      0x6c536eaaa560aba4u, .long_records = BIOST_LONG_TAIL, .tail = BIOST_TAIL_SHORT, .encoding.dtype =
      BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.ambiguous = BIOST_AMBIGUOUS_N,
      .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind
      = BIOST_QUALITY_PHRED, .quality.in_x = 1, .mask = 1, .mask_in_x = 1, .filter.subsample_from = 0.25f,
      .filter.subsample_below = 0.75f, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0,
      .split.below = 0.6f, .split.field = 2, .augment.reverse_complement = 0.5f},
     0, 0, {STORE_Q}, {0}, {0},
     {{2, 15, 0x0ffdf5a3aee7b062u},
      {2, 15, 0x7472cc6e9330aae7u},
      {2, 15, 0x6dff79ef5c3f921eu}}},
    {{.batch_rows = 24, .row_bases = 1, .seed = 0x3d78b220ac4635cdu, .long_records = BIOST_LONG_HEAD,
      .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.pad_value = 9,
      .quality.kind = BIOST_QUALITY_PHRED, .filter.subsample_from = 0.25f, .filter.subsample_below =
      0.75f, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0,
      .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype =
      BIOST_DTYPE_I64},
     1, 0, {STORE_QR}, {0}, {0},
     {{2, 33, 0x01c6b357dfaf5d9bu},
      {2, 33, 0xdb10f9798e035ff9u},
      {2, 33, 0xe5d1943600643266u}}},
    {{.batch_rows = 24, .row_bases = 16, .pad_multiple = 40, .seed = 0x41401766f9352b1au, .long_records =
      BIOST_LONG_CROP, .encoding.dtype = BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC, .encoding.lower_case =
      BIOST_LOWER_CASE_N, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_dtype = BIOST_DTYPE_F32,
      .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0},
     1, 4, {STORE_H, STORE_G, STORE_QR, STORE_Q}, {4, 1, 2, 3}, {0},
     {{14, 334, 0x1dccb463b2a2fb21u},
      {14, 334, 0xc413bb41105ec8b0u},
      {14, 334, 0x0e54189eb1dad53du}}},
    {{.batch_rows = 12, .row_bases = 9, .pad_multiple = 8, .seed = 0x5d0b4985d8388ba0u, .tail =
      BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype =
      BIOST_DTYPE_I32, .filter.max_length = 300, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE,
      .split.from = 0.25f, .split.below = 0, .augment.inject_n = 0.05f, .regions.kind =
      BIOST_REGIONS_GRID, .regions.strands = BIOST_STRANDS_BOTH, .regions.edge = BIOST_EDGE_DROP,
      .regions.jitter = 40, .regions.stride = 7, .regions.sequences = store_listed,
      .regions.sequence_count = 3, .regions.forbid_other = 1},
     0, 0, {STORE_G}, {0}, {0},
     {{2, 24, 0x123cc87d3c7d25d1u},
      {2, 24, 0x89de441f4337809bu},
      {2, 24, 0x1dab106fc2e213e3u}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0xc2b0bbdae713b994u, .order = BIOST_ORDER_EXACT,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .encoding.pad_value = 9,
      .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .filter.max_n_fraction = 0.1f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_START, .regions.edge = BIOST_EDGE_DROP, .regions.jitter
      = 1, .regions.intervals = store_intervals, .regions.interval_count = 46, .regions.forbid_lower = 1},
     1, 0, {STORE_GH}, {0}, {0},
     {{6, 131, 0x86d2c287fe338e99u},
      {6, 131, 0x2c1fb7365ec13eb7u},
      {6, 131, 0x54ef9f3a77450cf4u}}},
    {{.batch_rows = 24, .row_bases = 1, .pad_multiple = 40, .seed = 0x5b97164795e64974u, .long_records =
      BIOST_LONG_SPLIT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .quality.kind =
      BIOST_QUALITY_PHRED, .filter.min_base_quality = 1, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD,
      .split.from = 0, .split.below = 0.6f, .split.field = 2, .augment.reverse_complement = 0.5f},
     0, 0, {STORE_QR}, {0}, {0},
     {{14, 332, 0x53de4e43a0586238u},
      {14, 332, 0xbd622c8e303601dbu},
      {14, 332, 0x9e0482c70c4f101cu}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0xc8f2a8eb4e5ae36au, .long_records = BIOST_LONG_TAIL,
      .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1,
      .mask_in_x = 1, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype =
      BIOST_DTYPE_I32, .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 4, {STORE_QR, STORE_H, STORE_Q, STORE_G}, {1, 1, 2, 3}, {0},
     {{1, 14, 0x98b87f948356f5bau},
      {1, 14, 0x0809f40383dab2b4u},
      {1, 14, 0x906040234f20995du}}},
    {{.batch_rows = 24, .row_bases = 16, .pad_multiple = 40, .seed = 0x55c45a0c3a1a2d84u, .tail =
      BIOST_TAIL_SHORT, .order = BIOST_ORDER_HELIXER, .encoding.dtype = BIOST_DTYPE_F32,
      .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .mask = 1, .mask_in_x = 1, .filter.max_n_fraction =
      0.1f, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0, .split.below = 0.8f,
      .split.block_bases = 46, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind =
      BIOST_REGIONS_GRID, .regions.strands = BIOST_STRANDS_BOTH, .regions.edge = BIOST_EDGE_INSIDE,
      .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.forbid_other = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{6, 131, 0x56df71b62790d522u},
      {6, 131, 0x54ca56e198d32f39u},
      {6, 131, 0x47c097758b847a27u}}},
    {{.batch_rows = 60, .row_bases = 9, .pad_multiple = 8, .seed = 0xa56acbfafca63e63u, .tail =
      BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .mask = 1,
      .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands = BIOST_STRANDS_BOTH, .regions.fit =
      BIOST_FIT_CENTER, .regions.edge = BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END,
      .regions.intervals = store_intervals, .regions.interval_count = 46},
     0, 0, {STORE_GH}, {0}, {0},
     {{1, 58, 0x855d818f4a7eef21u},
      {1, 58, 0x9f469b4880300ccau},
      {1, 58, 0x6ed23af6d7a168f7u}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0x3e9982b1ac8b2752u, .long_records = BIOST_LONG_SPLIT,
      .order = BIOST_ORDER_EXACT, .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .quality.kind =
      BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32, .mask = 1, .mask_in_x = 1,
      .filter.max_n_fraction = 0.1f, .augment.reverse_complement = 0.5f},
     1, 0, {STORE_QR}, {0}, {0},
     {{4, 77, 0xf11e5bf49bf670f8u},
      {4, 77, 0x1c134b9908682dc6u},
      {4, 77, 0xd90a894d96a202ceu}}},
    {{.batch_rows = 60, .row_bases = 9, .seed = 0xb854704359beb056u, .long_records = BIOST_LONG_HEAD,
      .tail = BIOST_TAIL_DROP, .encoding.dtype = BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .encoding.lower_case = BIOST_LOWER_CASE_N,
      .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_in_x = 1, .augment.crop_bases = 9,
      .labels.kind = BIOST_LABEL_GROUP, .labels.dtype = BIOST_DTYPE_I32},
     0, 4, {STORE_H, STORE_QR, STORE_G, STORE_Q}, {4, 5, 4, 6}, {0},
     {{5, 300, 0xbbaf4eacb55fb3d3u},
      {5, 300, 0xf4057077c570cffau},
      {5, 300, 0xfa18050cd6263a8du}}},
    {{.batch_rows = 60, .row_bases = 33, .seed = 0xead054274e0439cdu, .order = BIOST_ORDER_HELIXER,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .mask = 1, .mask_dtype =
      BIOST_DTYPE_F32, .filter.forbid_n = 1, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from =
      0, .split.below = 0.8f, .split.block_bases = 63, .augment.substitute = 0.1f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.edge = BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END},
     1, 0, {STORE_GH}, {0}, {0},
     {{3, 131, 0x6c8a900ab1b70322u},
      {3, 131, 0xba9171509c52387cu},
      {3, 131, 0x0afdb1d2a80c1c29u}}},
    {{.batch_rows = 12, .row_bases = 64, .seed = 0xcd2999b3c94a8f11u, .tail = BIOST_TAIL_SHORT,
      .encoding.channels = "CATG", .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0,
      .split.below = 0.7f, .split.strip = "._", .augment.reverse_complement = 0.5f, .labels.kind =
      BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows
      = 131, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.fit = BIOST_FIT_START, .regions.intervals =
      store_intervals, .regions.interval_count = 40},
     1, 0, {STORE_GH}, {0}, {0},
     {{11, 131, 0x05e81d1a619491adu},
      {11, 131, 0x8eb9dec971467d95u},
      {11, 131, 0xeeb0ffc3850ea49au}}},
    {{.batch_rows = 24, .row_bases = 16, .seed = 0xd1c61a543a798bfu, .long_records = BIOST_LONG_SPLIT,
      .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_PHRED, .filter.max_error_rate =
      0.1f, .filter.forbid_n = 1, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f,
      .split.below = 0, .augment.substitute = 0.1f},
     0, 0, {STORE_Q}, {0}, {0},
     {{1, 18, 0xfb2c9feef8bdfecfu},
      {1, 18, 0xe1ef7790cb5641d0u},
      {1, 18, 0x0508e1d20bc60fbfu}}},
    {{.batch_rows = 24, .row_bases = 16, .seed = 0x4db9a520b820f316u, .split_stride = 1, .long_records =
      BIOST_LONG_SPLIT, .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .quality.kind = BIOST_QUALITY_ERROR,
      .quality.dtype = BIOST_DTYPE_F32, .filter.every_record = 2, .split.salt = 7, .split.by =
      BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2,
      .augment.reverse_complement = 0.5f},
     1, 0, {STORE_QR}, {0}, {0},
     {{13, 312, 0x4dd55de4d98fabffu},
      {13, 312, 0xb18c838357d8eecdu},
      {13, 312, 0x588164edf3652ad5u}}},
    {{.batch_rows = 12, .row_bases = 33, .pad_multiple = 40, .seed = 0xcba7fbbe85a8cafau, .long_records =
      BIOST_LONG_SPLIT, .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .filter.every_record = 2,
      .augment.reverse_complement = 0.5f, .augment.substitute = 0.1f, .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 3, {STORE_G, STORE_QR, STORE_Q}, {4, 6, 3}, {0},
     {{4, 48, 0x736ea0aaa71bcfbeu},
      {4, 48, 0x1782c90e9492c6f9u},
      {4, 48, 0xf410efe449701dd2u}}},
    {{.batch_rows = 60, .row_bases = 9, .pad_multiple = 8, .seed = 0x880632f7414c2a89u, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .filter.subsample_from = 0.25f, .filter.subsample_below = 0.75f, .augment.reverse_complement = 0.5f,
      .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID,
      .regions.edge = BIOST_EDGE_DROP, .regions.jitter = 1, .regions.forbid_lower = 1},
     0, 0, {STORE_GH}, {0}, {0},
     {{3, 131, 0x30f8cc9900fa77bcu},
      {3, 131, 0x651d625547404500u},
      {3, 131, 0xffcfe00124f9af6cu}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0x59f72987862a649au, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32,
      .encoding.pad_value = 9, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0,
      .split.below = 0.8f, .split.block_bases = 33, .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.strands = BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_SUMMIT, .regions.edge =
      BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 1, .regions.intervals =
      store_intervals, .regions.interval_count = 46, .regions.forbid_lower = 1, .regions.forbid_other = 1},
     1, 0, {STORE_GH}, {0}, {0},
     {{1, 44, 0xbe57e2221f5b691du},
      {1, 44, 0x7a2bdb1cef70e2abu},
      {1, 44, 0x735c285d57a30488u}}},
    {{.batch_rows = 12, .row_bases = 64, .seed = 0xa4ba47bea241e3afu, .long_records = BIOST_LONG_TAIL,
      .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.dtype = BIOST_DTYPE_I64, .quality.kind = BIOST_QUALITY_PHRED, .mask = 1, .mask_dtype =
      BIOST_DTYPE_F32, .filter.min_length = 9, .filter.max_error_rate = 0.1f, .split.salt = 5, .split.by =
      BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._",
      .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype =
      BIOST_DTYPE_I64},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 10, 0xb86efab75192cbccu},
      {1, 10, 0xdcdd95f0c00794b8u},
      {1, 10, 0x348e5f1798aef927u}}},
    {{.batch_rows = 60, .row_bases = 9, .seed = 0xccb9e1a5f0e3e651u, .long_records = BIOST_LONG_HEAD,
      .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32,
      .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_PHRED,
      .filter.forbid_n = 1, .augment.reverse_complement = 0.5f},
     0, 0, {STORE_Q}, {0}, {0},
     {{1, 18, 0x5c17cebbd948ce62u},
      {1, 18, 0x1ae58a9c3393ebecu},
      {1, 18, 0xfad8789df474beecu}}},
    {{.batch_rows = 12, .row_bases = 64, .pad_multiple = 40, .seed = 0x97b68943671b36c1u, .split_stride =
      55, .long_records = BIOST_LONG_SPLIT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.pad_value = 9,
      .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype =
      BIOST_DTYPE_F32, .filter.min_base_quality = 1, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE,
      .split.from = 0.25f, .split.below = 0, .labels.kind = BIOST_LABEL_GROUP, .labels.dtype =
      BIOST_DTYPE_U8},
     1, 1, {STORE_QR}, {1}, {0},
     {{3, 26, 0x653adcfcdac3a5f1u},
      {3, 26, 0x59e028841a8f094cu},
      {3, 26, 0xc2c9d4b84e9669fcu}}},
    {{.batch_rows = 12, .row_bases = 16, .seed = 0xa6d585d3ebb37ee3u, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.pad_side = BIOST_PAD_LEFT, .split.salt = 5, .split.by =
      BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._",
      .augment.reverse_complement = 0.5f, .augment.substitute = 0.1f, .regions.kind = BIOST_REGIONS_GRID,
      .regions.edge = BIOST_EDGE_INSIDE, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 4,
      .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 5, 0x43f2595a77aabdadu},
      {1, 5, 0xee028d0fb35c14edu},
      {1, 5, 0x6b4853bd31df9919u}}},
    {{.batch_rows = 60, .row_bases = 16, .pad_multiple = 40, .seed = 0x35cf8a8b99cde2d1u,
      .encoding.channels = "CATG", .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .encoding.pad_side =
      BIOST_PAD_LEFT, .filter.max_length = 300, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK,
      .split.from = 0, .split.below = 0.8f, .split.block_bases = 46, .augment.reverse_complement = 0.5f,
      .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.fit = BIOST_FIT_START, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.intervals =
      store_intervals, .regions.interval_count = 40},
     0, 0, {STORE_G}, {0}, {0},
     {{3, 131, 0x5e1c2dcc6a664913u},
      {3, 131, 0x6390b4ac9c871626u},
      {3, 131, 0x3701554844ebf3beu}}},
    {{.batch_rows = 60, .row_bases = 33, .seed = 0xb81e9e56812661e3u, .long_records = BIOST_LONG_TAIL,
      .encoding.dtype = BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels =
      "ACDEFGHIKLMNPQRSTVWY", .filter.max_length = 300, .split.salt = 5, .split.by = BIOST_SPLIT_NAME,
      .split.from = 0, .split.below = 0.7f, .split.strip = "._", .epoch_end = BIOST_EPOCH_END_ROWS,
      .epoch_rows = 131},
     0, 4, {STORE_H, STORE_G, STORE_Q, STORE_QR}, {6, 2, 3, 4}, {0},
     {{3, 131, 0xc7918398110f62fdu},
      {3, 131, 0x86b0e9648f842998u},
      {3, 131, 0x43ca264553c8bb12u}}},
    {{.batch_rows = 12, .row_bases = 9, .pad_multiple = 40, .seed = 0xb329375dd2b2f6dfu, .tail =
      BIOST_TAIL_DROP, .order = BIOST_ORDER_HELIXER, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.pad_side = BIOST_PAD_LEFT, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from =
      0, .split.below = 0.8f, .split.block_bases = 41, .augment.substitute = 0.1f, .regions.kind =
      BIOST_REGIONS_GRID, .regions.strands = BIOST_STRANDS_BOTH, .regions.edge = BIOST_EDGE_INSIDE,
      .regions.jitter = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{9, 108, 0x73d0420f0837cb28u},
      {9, 108, 0xcc33d3fe52637228u},
      {9, 108, 0x5cdf5dfe664004dcu}}},
    {{.batch_rows = 12, .row_bases = 16, .pad_multiple = 40, .seed = 0x135795b6ef159a7cu, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F16, .encoding.channels = "CATG",
      .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .mask = 1, .mask_in_x = 1, .filter.forbid_n = 1,
      .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0,
      .augment.inject_n = 0.05f, .labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32,
      .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands = BIOST_STRANDS_BOTH, .regions.fit =
      BIOST_FIT_SUMMIT, .regions.edge = BIOST_EDGE_DROP, .regions.jitter = 1, .regions.intervals =
      store_intervals, .regions.interval_count = 46},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 10, 0x9bb04b3fdb37c0f3u},
      {1, 10, 0x25660d09819467abu},
      {1, 10, 0x34561654acf31e19u}}},
    {{.batch_rows = 60, .row_bases = 16, .seed = 0xf445226d3d304ee8u, .long_records = BIOST_LONG_HEAD,
      .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.pad_side = BIOST_PAD_LEFT, .filter.max_length = 300, .filter.max_error_rate = 0.1f,
      .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field =
      2, .augment.crop_bases = 6, .augment.reverse_complement = 0.5f},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 10, 0xaa0e0ad29df65975u},
      {1, 10, 0x42c93a4560a85035u},
      {1, 10, 0xe6bd1966262c54bau}}},
    {{.batch_rows = 24, .row_bases = 64, .seed = 0x8ab9b26e8fb76ce0u, .long_records = BIOST_LONG_HEAD,
      .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.dtype = BIOST_DTYPE_I32, .encoding.pad_side = BIOST_PAD_LEFT, .filter.subsample_from =
      0.25f, .filter.subsample_below = 0.75f, .augment.substitute = 0.1f},
     1, 4, {STORE_QR, STORE_H, STORE_G, STORE_Q}, {3, 6, 5, 6}, {0},
     {{12, 288, 0x2ee082f8b4494d17u},
      {12, 288, 0xf57eb2df10982b39u},
      {12, 288, 0xef32d520e0b27fe1u}}},
    {{.batch_rows = 24, .row_bases = 1, .seed = 0x3ce9e953b44d0c04u, .order = BIOST_ORDER_HELIXER,
      .encoding.dtype = BIOST_DTYPE_F32, .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .mask = 1,
      .mask_in_x = 1, .filter.max_n_fraction = 0.1f, .split.salt = 5, .split.by = BIOST_SPLIT_NAME,
      .split.from = 0, .split.below = 0.7f, .split.strip = "._", .augment.substitute = 0.1f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.edge = BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END,
      .regions.jitter = 1, .regions.stride = 1, .regions.forbid_lower = 1, .regions.forbid_other = 1},
     0, 0, {STORE_G}, {0}, {0},
     {{6, 131, 0xe2b20dfd6e3a55c3u},
      {6, 131, 0xb59d60df82314ee4u},
      {6, 131, 0xfe4b1f501452be7du}}},
    {{.batch_rows = 24, .row_bases = 9, .pad_multiple = 8, .seed = 0x6e78e825bfef3e3bu, .tail =
      BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .split.salt = 6, .split.by
      = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0, .labels.kind = BIOST_LABEL_REGION,
      .labels.dtype = BIOST_DTYPE_F32, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_SUMMIT, .regions.edge = BIOST_EDGE_INSIDE,
      .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 1, .regions.intervals = store_intervals,
      .regions.interval_count = 40, .regions.forbid_lower = 1},
     1, 0, {STORE_GH}, {0}, {0},
     {{1, 22, 0x8e5551fc2e58e173u},
      {1, 22, 0x13c27f0243a13fdbu},
      {1, 22, 0x85548d58ed739591u}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 30, .pad_multiple = 40, .seed =
      0x14f61bd3e1e1bb3eu, .long_records = BIOST_LONG_TAIL, .tail = BIOST_TAIL_SHORT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.pad_value = 9, .quality.kind = BIOST_QUALITY_PHRED,
      .filter.max_length = 300, .filter.max_error_rate = 0.1f, .split.salt = 5, .split.by =
      BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._", .augment.substitute =
      0.1f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     1, 0, {STORE_QR}, {0}, {0},
     {{2, 16, 0xb95e96279ab7d0acu},
      {2, 16, 0xb101d68ec307500bu},
      {2, 16, 0x4d482f61d28d15d2u}}},
    {{.batch_rows = 24, .row_bases = 0, .max_row_bases = 30, .pad_multiple = 8, .seed =
      0x7b063cd11266d74eu, .long_records = BIOST_LONG_TAIL, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "CATG",
      .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC, .mask = 1, .filter.max_error_rate = 0.1f,
      .filter.max_n_fraction = 0.1f, .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_I64},
     0, 0, {STORE_QR}, {0}, {0},
     {{1, 12, 0x804403e6a3ddb860u},
      {1, 12, 0x3a444b327a73d059u},
      {1, 12, 0x57715ae0aa5b1393u}}},
    {{.batch_rows = 60, .row_bases = 16, .pad_multiple = 40, .seed = 0x847fd5a2788a014cu, .long_records =
      BIOST_LONG_CENTER, .encoding.dtype = BIOST_DTYPE_F16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .encoding.lower_case =
      BIOST_LOWER_CASE_CHANNEL, .quality.kind = BIOST_QUALITY_PHRED, .filter.min_base_quality = 1,
      .filter.first_records = 5, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     1, 1, {STORE_QR}, {1}, {0},
     {{1, 2, 0x1170a6682891d80cu},
      {1, 2, 0x940707cf66767b06u},
      {1, 2, 0xb93e454622f1a2acu}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0xd27899d2eff1d1f2u, .encoding.dtype = BIOST_DTYPE_BF16,
      .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "CATG", .mask = 1, .mask_in_x = 1,
      .filter.first_records = 5, .augment.substitute = 0.1f, .regions.kind = BIOST_REGIONS_GRID,
      .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{10, 586, 0x0384afab00fb66f6u},
      {10, 586, 0xd466d246d62c58f5u},
      {10, 586, 0xfee3c4d8bb21214fu}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0x8fd8974d76079631u, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .mask = 1, .mask_in_x =
      1, .filter.every_record = 2, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0,
      .split.below = 0.8f, .split.block_bases = 63, .augment.inject_n = 0.05f, .labels.kind =
      BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32, .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.strands = BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_CENTER, .regions.intervals =
      store_intervals, .regions.interval_count = 40, .regions.max_lower_fraction = 0.3f,
      .regions.forbid_other = 1},
     0, 0, {STORE_GH}, {0}, {0},
     {{1, 12, 0x39389dcb2b052019u},
      {1, 12, 0x95efa61a59f0ca0bu},
      {1, 12, 0xa8509276298d7171u}}},
    {{.batch_rows = 24, .row_bases = 16, .pad_multiple = 40, .seed = 0x82c841ec247a18fdu, .long_records =
      BIOST_LONG_CENTER, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY",
      .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .quality.kind = BIOST_QUALITY_PHRED, .mask = 1,
      .mask_in_x = 1, .filter.min_length = 9, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE,
      .split.from = 0.25f, .split.below = 0},
     1, 0, {STORE_QR}, {0}, {0},
     {{2, 35, 0xdce54d9ecd04a37au},
      {2, 35, 0x6aa691133e8c74acu},
      {2, 35, 0x61cd8a2e1830bfbfu}}},
    {{.batch_rows = 12, .row_bases = 64, .pad_multiple = 40, .seed = 0xbc304f5a5c5dc2ccu, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_SHORT, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.channels =
      "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC, .quality.kind = BIOST_QUALITY_PHRED,
      .quality.in_x = 1, .filter.min_mean_quality = 19.5f, .augment.reverse_complement = 0.5f,
      .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     1, 0, {STORE_QR}, {0}, {0},
     {{3, 26, 0x86a092594bb30b76u},
      {3, 26, 0x7ce0db0cc5af1389u},
      {3, 26, 0x1c146aef5709ee03u}}},
    {{.batch_rows = 12, .row_bases = 1, .seed = 0x32230bc2caff238bu, .long_records = BIOST_LONG_HEAD,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .filter.forbid_n = 1,
      .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip =
      "._", .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_GROUP, .labels.dtype =
      BIOST_DTYPE_I32, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     0, 2, {STORE_Q, STORE_QR}, {3, 6}, {0},
     {{11, 131, 0x7921771a69e0c188u},
      {11, 131, 0xb22a1856337e590eu},
      {11, 131, 0x5cef44f45aaf101du}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0x49f1e64c50028169u, .tail = BIOST_TAIL_DROP, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .filter.min_length = 9, .regions.kind =
      BIOST_REGIONS_GRID, .regions.jitter = 1, .regions.sequences = store_listed, .regions.sequence_count
      = 3, .regions.max_lower_fraction = 0.3f, .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_GH}, {0}, {0},
     {{6, 360, 0x718b6e4f5f0afe0fu},
      {6, 360, 0x7d8d20dd49e054e5u},
      {6, 360, 0x66382aea5147ecbau}}},
    {{.batch_rows = 60, .row_bases = 9, .pad_multiple = 8, .seed = 0x3354df017ac47944u, .tail =
      BIOST_TAIL_DROP, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.pad_value = 9, .mask = 1,
      .filter.max_length = 300, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0,
      .split.below = 0.8f, .split.block_bases = 47, .augment.reverse_complement = 0.5f,
      .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32,
      .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.fit = BIOST_FIT_START, .regions.edge = BIOST_EDGE_INSIDE, .regions.jitter = 4,
      .regions.intervals = store_intervals, .regions.interval_count = 40, .regions.max_other_fraction =
      0.1f},
     1, 0, {STORE_GH}, {0}, {0},
     {{2, 120, 0x54123405f5c09ccbu},
      {2, 120, 0x06f6baeae9c496aeu},
      {2, 120, 0xc435c0da20f1c789u}}},
    {{.batch_rows = 24, .row_bases = 9, .pad_multiple = 40, .seed = 0x8a6373f609cbcfd0u, .long_records =
      BIOST_LONG_TAIL, .encoding.dtype = BIOST_DTYPE_F32, .encoding.pad_side = BIOST_PAD_LEFT,
      .quality.kind = BIOST_QUALITY_PHRED, .quality.in_x = 1, .filter.first_records = 5, .split.salt = 7,
      .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2,
      .augment.substitute = 0.1f},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 3, 0xdee169dd115eb75bu},
      {1, 3, 0xb042318bf9290466u},
      {1, 3, 0xb4e285fda4c0a1adu}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0x63b43eb7275ad4ffu, .encoding.dtype = BIOST_DTYPE_F16,
      .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "CATG", .encoding.ambiguous =
      BIOST_AMBIGUOUS_HELIXER, .encoding.pad_side = BIOST_PAD_LEFT, .split.salt = 5, .split.by =
      BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._", .labels.kind =
      BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows
      = 131, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands = BIOST_STRANDS_BOTH, .regions.fit
      = BIOST_FIT_CENTER, .regions.edge = BIOST_EDGE_DROP, .regions.jitter = 4, .regions.intervals =
      store_intervals, .regions.interval_count = 46},
     1, 0, {STORE_G}, {0}, {0},
     {{3, 131, 0x86cf06f3e266b109u},
      {3, 131, 0xb1149900719aed6au},
      {3, 131, 0x1a01fe3f4a9ddb3fu}}},
    {{.batch_rows = 60, .row_bases = 64, .seed = 0xc626d18b403dc960u, .long_records = BIOST_LONG_HEAD,
      .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .encoding.pad_value = 9, .quality.kind = BIOST_QUALITY_PHRED, .filter.min_base_quality = 1,
      .filter.every_record = 2, .augment.reverse_complement = 0.5f},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 15, 0xd2bb53060f85f163u},
      {1, 15, 0xe22f43762f2785ebu},
      {1, 15, 0xcd5377f299a2d343u}}},
    {{.batch_rows = 60, .row_bases = 16, .seed = 0xd93f64c9d6aeb857u, .long_records = BIOST_LONG_HEAD,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .encoding.pad_value = 9,
      .filter.first_records = 5, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0,
      .split.below = 0.6f, .split.field = 2, .augment.crop_bases = 16, .augment.reverse_complement = 0.5f,
      .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_F32},
     0, 0, {STORE_QR}, {0}, {0},
     {{1, 3, 0x8efc101917b5a998u},
      {1, 3, 0xeec5e27aa130abedu},
      {1, 3, 0x371406d4a8329600u}}},
    {{.batch_rows = 12, .row_bases = 64, .seed = 0xfeb596afbcc5df62u, .long_records = BIOST_LONG_SPLIT,
      .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.ambiguous =
      BIOST_AMBIGUOUS_N, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_dtype = BIOST_DTYPE_F32,
      .labels.kind = BIOST_LABEL_GROUP, .labels.dtype = BIOST_DTYPE_U8, .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 3, {STORE_QR, STORE_G, STORE_H}, {5, 5, 6}, {0},
     {{2, 19, 0x834c4efe1d616858u},
      {2, 19, 0xc602a27b7cb2e681u},
      {2, 19, 0xe4a67202f679f259u}}},
    {{.batch_rows = 24, .row_bases = 64, .pad_multiple = 8, .seed = 0xd8087f17956ab1c9u, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .filter.max_length = 300, .split.salt = 7,
      .split.by = BIOST_SPLIT_BLOCK, .split.from = 0, .split.below = 0.8f, .split.block_bases = 102,
      .augment.inject_n = 0.05f, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind =
      BIOST_REGIONS_GRID, .regions.edge = BIOST_EDGE_INSIDE, .regions.jitter = 4},
     1, 0, {STORE_GH}, {0}, {0},
     {{6, 131, 0xae09c2037f1106ceu},
      {6, 131, 0x96f69fe2f7fe3eabu},
      {6, 131, 0x805e78d5a8521356u}}},
    {{.batch_rows = 12, .row_bases = 1, .pad_multiple = 40, .seed = 0x20f9100caf825438u, .tail =
      BIOST_TAIL_DROP, .encoding.dtype = BIOST_DTYPE_F16, .encoding.ambiguous = BIOST_AMBIGUOUS_N, .mask =
      1, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip
      = "._", .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_REGION, .labels.dtype =
      BIOST_DTYPE_F32, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.fit = BIOST_FIT_CENTER,
      .regions.edge = BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.intervals =
      store_intervals, .regions.interval_count = 46},
     0, 0, {STORE_GH}, {0}, {0},
     {{1, 12, 0x50f229d7edf2addau},
      {1, 12, 0x8a1cef8e985114f8u},
      {1, 12, 0xa82d522eeea8e12fu}}},
    {{.batch_rows = 12, .row_bases = 64, .pad_multiple = 40, .seed = 0x41a777a4c999040eu, .long_records =
      BIOST_LONG_TAIL, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32, .mask = 1, .mask_dtype =
      BIOST_DTYPE_F32, .filter.min_base_quality = 1, .filter.every_record = 2, .split.salt = 5, .split.by
      = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._",
      .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_I32},
     1, 0, {STORE_QR}, {0}, {0},
     {{2, 13, 0xeb6f66549c7f0e95u},
      {2, 13, 0xee727d1f4fae786au},
      {2, 13, 0x7f7f9d0b382fd113u}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 37, .pad_multiple = 40, .seed =
      0x497a9f777175ed84u, .long_records = BIOST_LONG_CROP, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "CATG", .quality.kind =
      BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32, .mask = 1, .mask_in_x = 1, .split.salt = 6,
      .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0, .labels.kind =
      BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     1, 0, {STORE_Q}, {0}, {0},
     {{5, 49, 0x65306e22aecbbbcdu},
      {5, 49, 0x531d389705703078u},
      {5, 49, 0x5ced205a225454a5u}}},
    {{.batch_rows = 12, .row_bases = 9, .pad_multiple = 8, .seed = 0xc54c642c6ee8f3dfu, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .encoding.pad_value = 9,
      .filter.max_n_fraction = 0.1f, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0,
      .split.below = 0.8f, .split.block_bases = 119, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131,
      .regions.kind = BIOST_REGIONS_GRID, .regions.edge = BIOST_EDGE_INSIDE, .regions.minus_pad =
      BIOST_MINUS_PAD_END, .regions.jitter = 40, .regions.stride = 2, .regions.forbid_lower = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{11, 131, 0xcd24a0a5ec481a50u},
      {11, 131, 0xb1e4aeb0ccaf8360u},
      {11, 131, 0x2ed4bfd908ea5115u}}},
    {{.batch_rows = 60, .row_bases = 33, .pad_multiple = 8, .seed = 0xa080d39fb02ac18au, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .quality.kind = BIOST_QUALITY_ERROR,
      .quality.dtype = BIOST_DTYPE_F32, .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .filter.min_base_quality
      = 1, .filter.forbid_n = 1, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f,
      .split.below = 0, .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f, .labels.kind =
      BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     0, 0, {STORE_QR}, {0}, {0},
     {{1, 7, 0x3213daf855c9620bu},
      {1, 7, 0x3d4bcc3ea51e1fc2u},
      {1, 7, 0x937873cc39f3fdf0u}}},
    {{.batch_rows = 24, .row_bases = 33, .pad_multiple = 8, .seed = 0xb039e526972c9f48u, .long_records =
      BIOST_LONG_CENTER, .tail = BIOST_TAIL_SHORT, .encoding.dtype = BIOST_DTYPE_F16, .encoding.channels =
      "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .encoding.lower_case =
      BIOST_LOWER_CASE_CHANNEL, .quality.kind = BIOST_QUALITY_PHRED, .mask = 1, .mask_dtype =
      BIOST_DTYPE_F32, .filter.max_error_rate = 0.1f, .filter.every_record = 2, .split.salt = 6, .split.by
      = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0, .augment.reverse_complement = 0.5f},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 6, 0xed040cede224bc11u},
      {1, 6, 0x9837f778a42fd94eu},
      {1, 6, 0x963914b38df8a1f3u}}},
    {{.batch_rows = 12, .row_bases = 9, .seed = 0x67d05a88290478c3u, .long_records = BIOST_LONG_CENTER,
      .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32,
      .encoding.pad_value = 9, .mask = 1, .filter.forbid_n = 1, .augment.reverse_complement = 0.5f,
      .labels.kind = BIOST_LABEL_GROUP, .labels.dtype = BIOST_DTYPE_I32, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     1, 4, {STORE_Q, STORE_QR, STORE_G, STORE_H}, {4, 1, 5, 3}, {0},
     {{11, 131, 0x07fb6a690aa39bd5u},
      {11, 131, 0x9296ff29eebc1be6u},
      {11, 131, 0xbdba8ef4e789d6c4u}}},
    {{.batch_rows = 24, .row_bases = 9, .pad_multiple = 8, .seed = 0xd8db27cb7e1e3341u, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .mask =
      1, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0,
      .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f, .epoch_end = BIOST_EPOCH_END_ROWS,
      .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID, .regions.minus_pad = BIOST_MINUS_PAD_END,
      .regions.jitter = 40, .regions.max_other_fraction = 0.1f},
     0, 0, {STORE_GH}, {0}, {0},
     {{6, 131, 0x27205903921d963fu},
      {6, 131, 0x90966a52af9058b6u},
      {6, 131, 0xa73d08362e864bb4u}}},
    {{.batch_rows = 60, .row_bases = 16, .pad_multiple = 8, .seed = 0xe2f77623f6afa6feu, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .split.salt = 5, .split.by = BIOST_SPLIT_NAME,
      .split.from = 0, .split.below = 0.7f, .split.strip = "._", .regions.kind = BIOST_REGIONS_INTERVALS,
      .regions.fit = BIOST_FIT_SUMMIT, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 4,
      .regions.intervals = store_intervals, .regions.interval_count = 40, .regions.max_lower_fraction =
      0.3f, .regions.forbid_other = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 9, 0xd5d0b2985adeeffau},
      {1, 9, 0x9f753a5bf8428ac4u},
      {1, 9, 0xeab08b4b6d4a1be2u}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0xbc938e1483f0d307u, .long_records = BIOST_LONG_TAIL,
      .tail = BIOST_TAIL_DROP, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32,
      .encoding.pad_value = 9, .filter.max_n_fraction = 0.1f, .augment.inject_n = 0.05f},
     0, 0, {STORE_Q}, {0}, {0},
     {{1, 24, 0x9483f069d9afb15du},
      {1, 24, 0x02ea0fce2c20c5afu},
      {1, 24, 0xb02a230bdfb69b20u}}},
    {{.batch_rows = 12, .row_bases = 9, .pad_multiple = 40, .seed = 0xebca9e99d918941u, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_F16, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "CATG",
      .encoding.ambiguous = BIOST_AMBIGUOUS_N, .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL,
      .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_in_x = 1, .filter.min_length = 9,
      .augment.inject_n = 0.05f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_F32},
     1, 3, {STORE_G, STORE_QR, STORE_H}, {1, 6, 4}, {0},
     {{7, 78, 0x7da59fa196e221d0u},
      {7, 78, 0x5cfedd19cb0ded4bu},
      {7, 78, 0xb8cd4135c3a20e1au}}},
    {{.batch_rows = 60, .row_bases = 9, .seed = 0x3eba0462e604e459u, .tail = BIOST_TAIL_SHORT,
      .encoding.dtype = BIOST_DTYPE_F16, .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC, .encoding.lower_case
      = BIOST_LOWER_CASE_N, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_in_x = 1,
      .filter.max_length = 300, .augment.substitute = 0.1f, .regions.kind = BIOST_REGIONS_GRID,
      .regions.strands = BIOST_STRANDS_BOTH, .regions.edge = BIOST_EDGE_DROP, .regions.jitter = 4,
      .regions.stride = 7, .regions.sequences = store_listed, .regions.sequence_count = 3,
      .regions.max_lower_fraction = 0.3f},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 34, 0x834ff324a5813246u},
      {1, 34, 0xee9408ad43175d1du},
      {1, 34, 0x9484ab96746c149cu}}},
    {{.batch_rows = 12, .row_bases = 1, .seed = 0x924a10ac3654bf29u, .tail = BIOST_TAIL_DROP, .order =
      BIOST_ORDER_EXACT, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "CATG", .mask = 1,
      .mask_in_x = 1, .filter.first_records = 5, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK,
      .split.from = 0, .split.below = 0.8f, .split.block_bases = 33, .augment.inject_n = 0.05f, .epoch_end
      = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.fit =
      BIOST_FIT_START, .regions.edge = BIOST_EDGE_INSIDE, .regions.jitter = 1, .regions.intervals =
      store_intervals, .regions.interval_count = 40},
     0, 0, {STORE_GH}, {0}, {0},
     {{10, 120, 0x5752267172e35053u},
      {10, 120, 0xd395b90199cc960du},
      {10, 120, 0x4a93f6a1f15c51a4u}}},
    {{.batch_rows = 12, .row_bases = 9, .pad_multiple = 8, .seed = 0x4a1dcb919b85d722u, .split_stride = 8,
      .long_records = BIOST_LONG_SPLIT, .tail = BIOST_TAIL_DROP, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.dtype = BIOST_DTYPE_I64, .encoding.pad_value = 9, .filter.max_error_rate = 0.1f,
      .filter.forbid_n = 1, .augment.reverse_complement = 0.5f, .augment.substitute = 0.1f},
     1, 0, {STORE_QR}, {0}, {0},
     {{3, 36, 0xbba0e2b1094b6690u},
      {3, 36, 0x34c9668a26861982u},
      {3, 36, 0xd7029fd341070bcbu}}},
    {{.batch_rows = 12, .row_bases = 33, .seed = 0x80fa3db479dcf8a9u, .long_records = BIOST_LONG_SPLIT,
      .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.ambiguous =
      BIOST_AMBIGUOUS_N, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .mask_in_x = 1,
      .filter.min_length = 9, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0,
      .split.below = 0.6f, .split.field = 2, .augment.substitute = 0.1f},
     1, 0, {STORE_Q}, {0}, {0},
     {{3, 33, 0x4cffedd45c063b02u},
      {3, 33, 0x8143b69bed969007u},
      {3, 33, 0xdd0f30c2b009640fu}}},
    {{.batch_rows = 12, .row_bases = 16, .pad_multiple = 40, .seed = 0x2a443d065c99d18u, .long_records =
      BIOST_LONG_SPLIT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.pad_value = 9, .mask = 1, .filter.max_n_fraction = 0.1f, .split.salt = 6, .split.by =
      BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0, .labels.kind = BIOST_LABEL_GROUP,
      .labels.dtype = BIOST_DTYPE_U8, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     0, 2, {STORE_QR, STORE_G}, {1, 6}, {0},
     {{11, 131, 0xf11a5897dbde4323u},
      {11, 131, 0x79f26913b20aa173u},
      {11, 131, 0x692557a2740758e9u}}},
    {{.batch_rows = 12, .row_bases = 1, .pad_multiple = 8, .seed = 0x8635491d4491df1fu, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .encoding.pad_side = BIOST_PAD_LEFT, .mask =
      1, .filter.forbid_n = 1, .labels.kind = BIOST_LABEL_REGION, .labels.dtype = BIOST_DTYPE_F32,
      .regions.kind = BIOST_REGIONS_INTERVALS, .regions.fit = BIOST_FIT_SUMMIT, .regions.jitter = 40,
      .regions.intervals = store_intervals, .regions.interval_count = 40, .regions.max_lower_fraction =
      0.3f},
     1, 0, {STORE_GH}, {0}, {0},
     {{3, 33, 0x465625e5a4311721u},
      {3, 33, 0x60107f55e6710f04u},
      {3, 33, 0x6dffdbeb6336a878u}}},
    {{.batch_rows = 12, .row_bases = 16, .pad_multiple = 8, .seed = 0x46157fc3bce6dca1u, .long_records =
      BIOST_LONG_TAIL, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "CATG", .quality.kind =
      BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32, .mask = 1, .mask_in_x = 1,
      .filter.min_mean_quality = 19.5f, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from =
      0.25f, .split.below = 0, .augment.reverse_complement = 0.5f},
     0, 0, {STORE_QR}, {0}, {0},
     {{2, 23, 0x2bb0a871e931aec0u},
      {2, 23, 0xde1527d09fd2c623u},
      {2, 23, 0x4ec321e7cbd033efu}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0xe1e3e0bc7f2d7569u, .long_records = BIOST_LONG_TAIL,
      .tail = BIOST_TAIL_SHORT, .encoding.dtype = BIOST_DTYPE_F16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.ambiguous = BIOST_AMBIGUOUS_N, .encoding.pad_side = BIOST_PAD_LEFT,
      .filter.min_mean_quality = 19.5f, .filter.max_n_fraction = 0.1f, .split.salt = 7, .split.by =
      BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2, .labels.kind =
      BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 12, 0x1ddaa320b3136668u},
      {1, 12, 0x4e24becfd5baf5a9u},
      {1, 12, 0x5d6832b88b55720bu}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0x7c0f750b56a9600cu, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .mask = 1, .filter.every_record = 2,
      .regions.kind = BIOST_REGIONS_GRID, .regions.strands = BIOST_STRANDS_BOTH, .regions.edge =
      BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.max_other_fraction = 0.1f},
     0, 0, {STORE_GH}, {0}, {0},
     {{2, 32, 0x1e4f3b9c7309204fu},
      {2, 32, 0x205e18330e4e126cu},
      {2, 32, 0x91e3e5e904da5058u}}},
    {{.batch_rows = 24, .row_bases = 9, .seed = 0xbad981b7bce87c4du, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.dtype = BIOST_DTYPE_I32, .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT,
      .mask = 1, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_REGION, .labels.dtype =
      BIOST_DTYPE_F32, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.fit = BIOST_FIT_START,
      .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.intervals = store_intervals,
      .regions.interval_count = 40, .regions.max_lower_fraction = 0.3f, .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_GH}, {0}, {0},
     {{2, 31, 0x8c10cc68522fe42fu},
      {2, 31, 0x0a60c2ba28433a44u},
      {2, 31, 0x1247a9817d1b1ec9u}}},
    {{.batch_rows = 24, .row_bases = 64, .pad_multiple = 40, .seed = 0x1e13065bebfaa291u, .long_records =
      BIOST_LONG_SPLIT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype
      = BIOST_DTYPE_I64, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .filter.max_length = 300,
      .filter.min_base_quality = 1, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0,
      .split.below = 0.6f, .split.field = 2, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_U8},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 21, 0x92bd0b06c86e7bf6u},
      {1, 21, 0x8ca52a9b7e8c941eu},
      {1, 21, 0x1f3f02c20a0aa5a4u}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 37, .seed = 0x9406139d3a10bb2fu, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_BF16, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .encoding.lower_case =
      BIOST_LOWER_CASE_CHANNEL, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .split.salt = 6, .split.by
      = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0},
     0, 0, {STORE_QR}, {0}, {0},
     {{5, 60, 0xf8c9c54c49fb1d62u},
      {5, 60, 0xd4a2b6b7c46fea44u},
      {5, 60, 0x8d4a3587d1fe3439u}}},
    {{.batch_rows = 60, .row_bases = 1, .pad_multiple = 8, .seed = 0x4bf73cd4c0b471edu, .split_stride = 1,
      .long_records = BIOST_LONG_SPLIT, .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .encoding.pad_value = 9,
      .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .augment.reverse_complement = 0.5f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     1, 4, {STORE_H, STORE_Q, STORE_G, STORE_QR}, {5, 6, 4, 2}, {0},
     {{2, 120, 0x9a8d1fc2bb376693u},
      {2, 120, 0x8298db8d13380c9du},
      {2, 120, 0x1394c975cdf9b30eu}}},
    {{.batch_rows = 60, .row_bases = 16, .seed = 0x618dd07b97af1a24u, .tail = BIOST_TAIL_SHORT,
      .encoding.dtype = BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels =
      "ACDEFGHIKLMNPQRSTVWY", .mask = 1, .filter.every_record = 2, .split.salt = 5, .split.by =
      BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._", .regions.kind =
      BIOST_REGIONS_GRID, .regions.edge = BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END},
     1, 0, {STORE_GH}, {0}, {0},
     {{1, 6, 0xd78c762a2d7b33c9u},
      {1, 6, 0xc11ff72c83f47032u},
      {1, 6, 0xa73486b6a390ff0bu}}},
    {{.batch_rows = 12, .row_bases = 64, .seed = 0x308d69887e57fdbeu, .long_records = BIOST_LONG_TAIL,
      .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.dtype = BIOST_DTYPE_I32, .quality.kind = BIOST_QUALITY_PHRED, .filter.max_error_rate =
      0.1f, .filter.every_record = 2, .augment.reverse_complement = 0.5f, .labels.kind =
      BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I32},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 7, 0x237254daec65bc60u},
      {1, 7, 0xaf323fb5034b05dbu},
      {1, 7, 0xe2eeb070350aea08u}}},
    {{.batch_rows = 60, .row_bases = 64, .pad_multiple = 8, .seed = 0xbfa7a6048a99b47du, .long_records =
      BIOST_LONG_SPLIT, .tail = BIOST_TAIL_SHORT, .encoding.kind = BIOST_ENCODE_TOKENS, .mask = 1,
      .mask_dtype = BIOST_DTYPE_F32, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0,
      .split.below = 0.7f, .split.strip = "._"},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 58, 0xa4b64018f26a012du},
      {1, 58, 0xeb25a5e8705f89e4u},
      {1, 58, 0x2cbb9dd086244816u}}},
    {{.batch_rows = 60, .row_bases = 400, .pad_multiple = 40, .seed = 0xf2afd75e29e32161u, .tail =
      BIOST_TAIL_DROP, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .filter.max_length = 300, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0,
      .split.below = 0.7f, .split.strip = "._", .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     0, 1, {STORE_H}, {1}, {0},
     {{2, 120, 0x8fe4e5edace625e3u},
      {2, 120, 0x45e849ca40a508f7u},
      {2, 120, 0xef191466ad9f6916u}}},
    {{.batch_rows = 24, .row_bases = 33, .pad_multiple = 40, .seed = 0xd4403e23883a877u, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .mask =
      1, .mask_dtype = BIOST_DTYPE_F32, .filter.min_length = 9, .augment.substitute = 0.1f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID, .regions.edge =
      BIOST_EDGE_INSIDE, .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_G}, {0}, {0},
     {{6, 131, 0x084afb0e6953426eu},
      {6, 131, 0xd5f804eb4eeb2a31u},
      {6, 131, 0xc62d127611e48c69u}}},
    {{.batch_rows = 12, .row_bases = 1, .seed = 0xce7ebb34f93eaef5u, .tail = BIOST_TAIL_DROP, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.channels = "CATG", .mask = 1,
      .mask_in_x = 1, .filter.every_record = 2, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK,
      .split.from = 0, .split.below = 0.8f, .split.block_bases = 111, .labels.kind = BIOST_LABEL_REGION,
      .labels.dtype = BIOST_DTYPE_F32, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_START, .regions.jitter = 40, .regions.intervals =
      store_intervals, .regions.interval_count = 40, .regions.forbid_other = 1},
     1, 0, {STORE_GH}, {0}, {0},
     {{3, 36, 0x4afd4f10fa1cd066u},
      {3, 36, 0x921d8a2c3879766au},
      {3, 36, 0x37ff231e03d766a1u}}},
    {{.batch_rows = 12, .row_bases = 1, .seed = 0xc5393bf4965cc8f0u, .split_stride = 1, .long_records =
      BIOST_LONG_SPLIT, .tail = BIOST_TAIL_SHORT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype =
      BIOST_DTYPE_I32, .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32, .mask = 1,
      .filter.max_length = 300, .filter.min_base_quality = 1, .split.salt = 5, .split.by =
      BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._", .labels.kind =
      BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I64},
     0, 0, {STORE_Q}, {0}, {0},
     {{37, 437, 0xfa1e1c4a82db55e7u},
      {37, 437, 0x86b6e7065f081be2u},
      {37, 437, 0xa7a82bf1c612ed8bu}}},
    {{.batch_rows = 12, .row_bases = 1, .seed = 0xda52774948d8cfeeu, .long_records = BIOST_LONG_TAIL,
      .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32,
      .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_PHRED, .mask = 1,
      .filter.min_base_quality = 1, .filter.forbid_n = 1, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD,
      .split.from = 0, .split.below = 0.6f, .split.field = 2, .augment.reverse_complement = 0.5f,
      .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I64},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 4, 0x1bdaae5e7c64abdcu},
      {1, 4, 0x42488ec59a65be2cu},
      {1, 4, 0x37b783ef7767e06du}}},
    {{.batch_rows = 24, .row_bases = 16, .pad_multiple = 8, .seed = 0x766e06cd1b04758bu, .tail =
      BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype
      = BIOST_DTYPE_I64, .encoding.pad_value = 9, .mask = 1, .mask_dtype = BIOST_DTYPE_F32,
      .augment.substitute = 0.1f, .regions.kind = BIOST_REGIONS_GRID, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.stride = 10},
     0, 0, {STORE_G}, {0}, {0},
     {{6, 130, 0x0605fc5b3273e3cau},
      {6, 130, 0x4395eda4fec61b04u},
      {6, 130, 0xe7a535bc3f333883u}}},
    {{.batch_rows = 60, .row_bases = 9, .pad_multiple = 8, .seed = 0xf54679198d1ac038u, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .mask = 1, .mask_dtype = BIOST_DTYPE_F32,
      .filter.subsample_from = 0.25f, .filter.subsample_below = 0.75f, .labels.kind = BIOST_LABEL_REGION,
      .labels.dtype = BIOST_DTYPE_F32, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_SUMMIT, .regions.edge = BIOST_EDGE_DROP,
      .regions.jitter = 4, .regions.intervals = store_intervals, .regions.interval_count = 46},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 52, 0xab166eb9467207c1u},
      {1, 52, 0x520731a61c9cd7e3u},
      {1, 52, 0xebd25e54ca44d407u}}},
    {{.batch_rows = 12, .row_bases = 16, .seed = 0x89d717cb2be23dc6u, .long_records = BIOST_LONG_TAIL,
      .tail = BIOST_TAIL_DROP, .encoding.kind = BIOST_ENCODE_TOKENS, .filter.max_length = 300, .split.salt
      = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._"},
     1, 0, {STORE_Q}, {0}, {0},
     {{3, 36, 0xace1c44ee9a62fbbu},
      {3, 36, 0x22731d2b4383f60du},
      {3, 36, 0xaca085da6d5608c4u}}},
    {{.batch_rows = 60, .row_bases = 9, .pad_multiple = 40, .seed = 0x477140b4c54faab8u, .long_records =
      BIOST_LONG_CROP, .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F16, .encoding.layout =
      BIOST_LAYOUT_NCL, .encoding.lower_case = BIOST_LOWER_CASE_N, .encoding.pad_side = BIOST_PAD_LEFT,
      .mask = 1, .mask_in_x = 1, .filter.min_mean_quality = 19.5f, .filter.max_n_fraction = 0.1f,
      .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field =
      2, .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_I32},
     0, 0, {STORE_QR}, {0}, {0},
     {{1, 12, 0x1e40def8b0d28d0du},
      {1, 12, 0xce3f88a6fb3a6fa5u},
      {1, 12, 0x7abcf05592f708d3u}}},
    {{.batch_rows = 12, .row_bases = 16, .pad_multiple = 8, .seed = 0xd0050fab61810df9u, .long_records =
      BIOST_LONG_CROP, .order = BIOST_ORDER_EXACT, .encoding.pad_side = BIOST_PAD_LEFT,
      .filter.every_record = 2, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_I32, .labels.of_inputs = store_labels, .labels.of_input_count = 5,
      .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 4, {STORE_QR, STORE_Q, STORE_H, STORE_G}, {3, 4, 3, 3}, {0},
     {{1, 11, 0xf7ea3fdb75b69517u},
      {1, 11, 0x842be0952a47d491u},
      {1, 11, 0x320c359c2b66da43u}}},
    {{.batch_rows = 12, .row_bases = 1, .pad_multiple = 40, .seed = 0x135ee7a50f892eb4u, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.ambiguous = BIOST_AMBIGUOUS_N,
      .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .filter.forbid_n = 1, .augment.reverse_complement =
      0.5f, .regions.kind = BIOST_REGIONS_GRID, .regions.edge = BIOST_EDGE_DROP, .regions.minus_pad =
      BIOST_MINUS_PAD_END, .regions.jitter = 40, .regions.forbid_lower = 1, .regions.max_other_fraction =
      0.1f},
     1, 0, {STORE_G}, {0}, {0},
     {{41, 489, 0x17a988aa5c65e1d8u},
      {41, 489, 0x1d2f92cc3aa5077eu},
      {41, 489, 0x3a4222ed6c29e038u}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0xc5a33180448beb86u, .encoding.channels = "CATG",
      .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .mask = 1, .mask_dtype = BIOST_DTYPE_F32,
      .filter.max_length = 300, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0,
      .split.below = 0.8f, .split.block_bases = 111, .augment.inject_n = 0.05f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.fit =
      BIOST_FIT_SUMMIT, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 40, .regions.intervals
      = store_intervals, .regions.interval_count = 40},
     0, 0, {STORE_G}, {0}, {0},
     {{3, 131, 0x8e5b01f2a7369c6fu},
      {3, 131, 0x6ef138e0bd760292u},
      {3, 131, 0x4af439290ba55011u}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0x64b5280e925509a4u, .split_stride = 1, .long_records =
      BIOST_LONG_SPLIT, .order = BIOST_ORDER_EXACT, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY",
      .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_PHRED, .mask = 1, .mask_in_x = 1,
      .filter.min_base_quality = 1, .filter.subsample_from = 0.25f, .filter.subsample_below = 0.75f,
      .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field =
      2, .augment.substitute = 0.1f},
     1, 0, {STORE_QR}, {0}, {0},
     {{3, 131, 0xadee4739e6585fd9u},
      {3, 131, 0x786c908070bfdca7u},
      {3, 131, 0x7593d5cb487df6efu}}},
    {{.batch_rows = 12, .row_bases = 9, .pad_multiple = 8, .seed = 0x5651fcf82397144u, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .mask = 1, .labels.kind = BIOST_LABEL_GROUP, .labels.dtype = BIOST_DTYPE_F32,
      .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     0, 2, {STORE_Q, STORE_H}, {1, 1}, {0},
     {{10, 120, 0x6c71b1ddcceb3de4u},
      {10, 120, 0xf91b0c0dd6a5085fu},
      {10, 120, 0x060f3f5984c10dceu}}},
    {{.batch_rows = 24, .row_bases = 9, .seed = 0xd27ef39aad8a3487u, .order = BIOST_ORDER_EXACT,
      .encoding.dtype = BIOST_DTYPE_BF16, .encoding.channels = "CATG", .encoding.ambiguous =
      BIOST_AMBIGUOUS_N, .filter.max_n_fraction = 0.1f, .augment.reverse_complement = 0.5f, .regions.kind
      = BIOST_REGIONS_GRID, .regions.jitter = 4, .regions.stride = 5},
     1, 0, {STORE_GH}, {0}, {0},
     {{7, 164, 0xab76d3d7265bdefbu},
      {7, 164, 0x24fbe1d626e9921eu},
      {7, 164, 0xc150a6e005350be7u}}},
    {{.batch_rows = 12, .row_bases = 16, .pad_multiple = 8, .seed = 0x17ad70f153463dabu, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .quality.kind = BIOST_QUALITY_PHRED, .mask =
      1, .filter.min_length = 9, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f,
      .split.below = 0, .augment.reverse_complement = 0.5f, .augment.substitute = 0.1f, .labels.kind =
      BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     1, 0, {STORE_QR}, {0}, {0},
     {{2, 24, 0xb20e3e0c8aaf9a3du},
      {2, 24, 0xeac2630c5ccb20a6u},
      {2, 24, 0x896be2237ad0c729u}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0x496d58d091a0b658u, .long_records = BIOST_LONG_SPLIT,
      .tail = BIOST_TAIL_DROP, .encoding.dtype = BIOST_DTYPE_F16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC, .encoding.lower_case =
      BIOST_LOWER_CASE_CHANNEL, .mask = 1, .mask_in_x = 1, .filter.forbid_n = 1,
      .augment.reverse_complement = 0.5f, .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 3, {STORE_Q, STORE_QR, STORE_H}, {6, 4, 1}, {0},
     {{2, 48, 0xda917b18c72423f3u},
      {2, 48, 0xe4c367245468987fu},
      {2, 48, 0x7deaf0d54daae0d2u}}},
    {{.batch_rows = 24, .row_bases = 1, .seed = 0xd33ec677670cdc73u, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_HELIXER, .encoding.dtype = BIOST_DTYPE_F32, .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC,
      .mask = 1, .mask_in_x = 1, .filter.max_length = 300, .augment.inject_n = 0.05f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.stride = 1, .regions.max_lower_fraction = 0.3f},
     0, 0, {STORE_G}, {0}, {0},
     {{6, 131, 0x3f6e46ace755dc83u},
      {6, 131, 0xb413d16fa40ef64du},
      {6, 131, 0x47b43365bfe065c0u}}},
    {{.batch_rows = 60, .row_bases = 1, .pad_multiple = 8, .seed = 0x656a37578f964b07u, .order =
      BIOST_ORDER_EXACT, .encoding.channels = "CATG", .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1,
      .mask_in_x = 1, .filter.first_records = 5, .split.salt = 5, .split.by = BIOST_SPLIT_NAME,
      .split.from = 0, .split.below = 0.7f, .split.strip = "._", .labels.kind = BIOST_LABEL_REGION,
      .labels.dtype = BIOST_DTYPE_F32, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind
      = BIOST_REGIONS_INTERVALS, .regions.strands = BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_START,
      .regions.edge = BIOST_EDGE_DROP, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.intervals =
      store_intervals, .regions.interval_count = 46, .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_GH}, {0}, {0},
     {{3, 131, 0xfb29424180ab3575u},
      {3, 131, 0xd3978d09175196d1u},
      {3, 131, 0x5058d8d2357d75f4u}}},
    {{.batch_rows = 24, .row_bases = 33, .pad_multiple = 40, .seed = 0xc3d1636b498b16dbu, .long_records =
      BIOST_LONG_CROP, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype =
      BIOST_DTYPE_I32, .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .filter.min_base_quality = 1, .split.salt
      = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2,
      .augment.substitute = 0.1f},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 21, 0x714b9c1acf34761du},
      {1, 21, 0xd3afe4d7c2cf31d2u},
      {1, 21, 0x53e1f87a66e1880fu}}},
    {{.batch_rows = 12, .row_bases = 1, .seed = 0xddbe3e7daf38582du, .long_records = BIOST_LONG_CENTER,
      .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1,
      .mask_in_x = 1, .filter.min_base_quality = 1, .filter.first_records = 5, .split.salt = 7, .split.by
      = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2, .labels.kind =
      BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     0, 0, {STORE_QR}, {0}, {0},
     {{1, 1, 0x72589df60cfc127eu},
      {1, 1, 0x81c1ace4492bef7cu},
      {1, 1, 0xa22426ac416f88bbu}}},
    {{.batch_rows = 60, .row_bases = 64, .pad_multiple = 40, .seed = 0xead3960670aaf750u, .long_records =
      BIOST_LONG_HEAD, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.layout =
      BIOST_LAYOUT_NCL, .encoding.channels = "CATG", .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1,
      .mask_dtype = BIOST_DTYPE_F32, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0,
      .split.below = 0.7f, .split.strip = "._", .augment.crop_bases = 28, .epoch_end =
      BIOST_EPOCH_END_FIRST},
     1, 3, {STORE_QR, STORE_G, STORE_Q}, {5, 1, 2}, {0},
     {{1, 21, 0xc193faf8e7edf4f6u},
      {1, 21, 0x7033bf4dc7f4a343u},
      {1, 21, 0xd7a6c274d51b88bdu}}},
    {{.batch_rows = 24, .row_bases = 16, .pad_multiple = 40, .seed = 0x15a3bca9e619b674u, .tail =
      BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.layout =
      BIOST_LAYOUT_NCL, .encoding.channels = "CATG", .encoding.lower_case = BIOST_LOWER_CASE_N, .mask = 1,
      .mask_in_x = 1, .filter.every_record = 2, .augment.substitute = 0.1f, .regions.kind =
      BIOST_REGIONS_GRID, .regions.strands = BIOST_STRANDS_BOTH, .regions.edge = BIOST_EDGE_INSIDE,
      .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 4, .regions.forbid_lower = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 24, 0x2e09667c7686662bu},
      {1, 24, 0x53db6ffa828dcb9au},
      {1, 24, 0x68bb3a99da8443e5u}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 37, .pad_multiple = 40, .seed =
      0xc79897d0c880343du, .long_records = BIOST_LONG_CROP, .tail = BIOST_TAIL_DROP, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.pad_side = BIOST_PAD_LEFT, .filter.every_record = 2, .augment.reverse_complement = 0.5f,
      .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I64},
     1, 0, {STORE_Q}, {0}, {0},
     {{2, 24, 0x6a234ca18574c895u},
      {2, 24, 0x675c6cd8e9e90be4u},
      {2, 24, 0x1e3ee0a98c5db04au}}},
    {{.batch_rows = 60, .row_bases = 16, .pad_multiple = 40, .seed = 0xa455829b8bef8b5fu, .long_records =
      BIOST_LONG_HEAD, .tail = BIOST_TAIL_SHORT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.ambiguous =
      BIOST_AMBIGUOUS_N, .quality.kind = BIOST_QUALITY_PHRED, .quality.in_x = 1, .mask = 1, .mask_in_x =
      1, .filter.min_mean_quality = 19.5f, .filter.first_records = 5, .augment.crop_bases = 2,
      .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype =
      BIOST_DTYPE_I32},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 2, 0x70c8733b6b8022d5u},
      {1, 2, 0xc3eac2d1ce306552u},
      {1, 2, 0x0dd0bda13384f5d6u}}},
    {{.batch_rows = 24, .row_bases = 9, .seed = 0xd9cd4f4bb1263dd5u, .split_stride = 9, .long_records =
      BIOST_LONG_SPLIT, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .filter.first_records = 5, .split.salt = 5,
      .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip = "._",
      .augment.inject_n = 0.05f, .epoch_end = BIOST_EPOCH_END_FIRST},
     0, 2, {STORE_Q, STORE_H}, {5, 5}, {0},
     {{1, 8, 0x05b3b7ef5555c2f9u},
      {1, 8, 0x6f62814a47efbe37u},
      {1, 8, 0x3d942154c27b36efu}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0x74e3bd393489615cu, .order = BIOST_ORDER_EXACT,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.pad_value = 9, .split.salt = 7, .split.by =
      BIOST_SPLIT_BLOCK, .split.from = 0, .split.below = 0.8f, .split.block_bases = 71,
      .augment.substitute = 0.1f, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_CENTER, .regions.edge = BIOST_EDGE_DROP,
      .regions.jitter = 4, .regions.intervals = store_intervals, .regions.interval_count = 46},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 16, 0x141a0f0c199ab3bcu},
      {1, 16, 0xb89910b91d1bb8f7u},
      {1, 16, 0x39ca700173911566u}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 30, .pad_multiple = 8, .seed =
      0x2a85d28e60b21169u, .long_records = BIOST_LONG_TAIL, .tail = BIOST_TAIL_DROP, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_N, .encoding.pad_side =
      BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_ERROR, .quality.in_x = 1, .mask = 1, .mask_in_x = 1,
      .filter.max_n_fraction = 0.1f, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0,
      .split.below = 0.6f, .split.field = 2, .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f},
     0, 0, {STORE_Q}, {0}, {0},
     {{2, 24, 0xc83536062339e12fu},
      {2, 24, 0x3053d87ab8355a82u},
      {2, 24, 0x50ea4897550bfc97u}}},
    {{.batch_rows = 24, .row_bases = 16, .pad_multiple = 40, .seed = 0xbc4c758ceff871ffu, .long_records =
      BIOST_LONG_CENTER, .tail = BIOST_TAIL_DROP, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels
      = "CATG", .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .encoding.pad_side = BIOST_PAD_LEFT,
      .filter.every_record = 2, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0,
      .split.below = 0.6f, .split.field = 2, .augment.substitute = 0.1f},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 24, 0xdc6196ac0fff3d3au},
      {1, 24, 0x51c34cbc78403705u},
      {1, 24, 0x90118dc05d3a6f9fu}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0x401061469dbc80b6u, .long_records = BIOST_LONG_HEAD,
      .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT, .filter.first_records = 5,
      .augment.crop_bases = 1, .augment.reverse_complement = 0.5f, .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 4, {STORE_G, STORE_QR, STORE_H, STORE_Q}, {4, 3, 1, 4}, {0},
     {{1, 15, 0xfd1c13b871efa3b5u},
      {1, 15, 0xc4183b0d929c22ffu},
      {1, 15, 0x5609f9f94ac900c2u}}},
    {{.batch_rows = 12, .row_bases = 9, .seed = 0xfa6e37b5ab8eb6efu, .tail = BIOST_TAIL_DROP,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .mask = 1, .mask_dtype =
      BIOST_DTYPE_F32, .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f, .regions.kind =
      BIOST_REGIONS_GRID, .regions.jitter = 1, .regions.max_other_fraction = 0.1f},
     0, 0, {STORE_G}, {0}, {0},
     {{4, 48, 0x7a31638e050e374cu},
      {4, 48, 0x62b152f61d0f8d1du},
      {4, 48, 0x48455eecd1740bfau}}},
    {{.batch_rows = 12, .row_bases = 64, .seed = 0xe09a345fa0862936u, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT, .filter.forbid_n
      = 1, .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0,
      .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands = BIOST_STRANDS_BOTH, .regions.fit =
      BIOST_FIT_CENTER, .regions.jitter = 40, .regions.intervals = store_intervals,
      .regions.interval_count = 40, .regions.forbid_lower = 1, .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 4, 0x5542bfaadaed8c18u},
      {1, 4, 0x7285facc873c1450u},
      {1, 4, 0xe2780064e921f2fbu}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 30, .seed = 0x5974bc9b5588af5du, .long_records =
      BIOST_LONG_TAIL, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .filter.max_length = 300,
      .filter.min_mean_quality = 19.5f, .augment.substitute = 0.1f},
     1, 0, {STORE_QR}, {0}, {0},
     {{3, 26, 0xc231ce3ec2046a55u},
      {3, 26, 0xc9eb26de9ce5040bu},
      {3, 26, 0xc62471a2667456eau}}},
    {{.batch_rows = 60, .row_bases = 16, .pad_multiple = 8, .seed = 0x4c090dae50464475u, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_F16, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY",
      .encoding.lower_case = BIOST_LOWER_CASE_N, .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype =
      BIOST_DTYPE_F32, .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .filter.min_length = 9,
      .filter.min_base_quality = 1, .split.salt = 7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0,
      .split.below = 0.6f, .split.field = 2},
     0, 0, {STORE_Q}, {0}, {0},
     {{1, 10, 0x6ad75e15b2ded146u},
      {1, 10, 0x99911eb8d90cc7e1u},
      {1, 10, 0xa83666918e924447u}}},
    {{.batch_rows = 12, .row_bases = 400, .pad_multiple = 40, .seed = 0xe103cd6f0be4c5e9u, .tail =
      BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype =
      BIOST_DTYPE_I64, .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT, .filter.every_record
      = 2, .augment.reverse_complement = 0.5f},
     1, 3, {STORE_H, STORE_Q, STORE_QR}, {3, 1, 2}, {0},
     {{14, 168, 0x4fa67fdce01b84a9u},
      {14, 168, 0x29b4253025358a0au},
      {14, 168, 0x9ac4647e9630565bu}}},
    {{.batch_rows = 12, .row_bases = 33, .pad_multiple = 8, .seed = 0x972252c390603206u, .tail =
      BIOST_TAIL_DROP, .order = BIOST_ORDER_EXACT, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels
      = "CATG", .encoding.lower_case = BIOST_LOWER_CASE_N, .encoding.pad_side = BIOST_PAD_LEFT,
      .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0, .epoch_end
      = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID, .regions.strands =
      BIOST_STRANDS_BOTH},
     1, 0, {STORE_GH}, {0}, {0},
     {{10, 120, 0x0c2393c627b9729bu},
      {10, 120, 0x6002471e0aebda91u},
      {10, 120, 0x91be8e1ebd2cc783u}}},
    {{.batch_rows = 60, .row_bases = 64, .pad_multiple = 40, .seed = 0x98b69d834408623eu, .tail =
      BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.channels
      = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_N, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1,
      .filter.max_n_fraction = 0.1f, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0,
      .split.below = 0.8f, .split.block_bases = 94, .augment.substitute = 0.1f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands =
      BIOST_STRANDS_BOTH, .regions.fit = BIOST_FIT_SUMMIT, .regions.edge = BIOST_EDGE_DROP,
      .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.intervals = store_intervals,
      .regions.interval_count = 46, .regions.max_lower_fraction = 0.3f},
     0, 0, {STORE_GH}, {0}, {0},
     {{3, 131, 0x01af20132aefd47eu},
      {3, 131, 0x30ac21ef3ee5e2cdu},
      {3, 131, 0xe62e048eca91c9ebu}}},
    {{.batch_rows = 24, .row_bases = 1, .seed = 0x3e414a9bb12bc37fu, .long_records = BIOST_LONG_CENTER,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .encoding.pad_value = 9,
      .filter.max_error_rate = 0.1f, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0,
      .split.below = 0.7f, .split.strip = "._", .augment.reverse_complement = 0.5f, .augment.substitute =
      0.1f},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 16, 0x075f79922b042491u},
      {1, 16, 0xba7633f1bc1712d9u},
      {1, 16, 0xcfd59187ece92840u}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0x9405cb64840fd4bau, .long_records = BIOST_LONG_CROP,
      .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F16,
      .encoding.channels = "CATG", .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .encoding.pad_side =
      BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32,
      .filter.min_mean_quality = 19.5f, .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f,
      .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I32},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 26, 0x6abbbb9a63a2b31eu},
      {1, 26, 0x37d6fa7fedf0e28du},
      {1, 26, 0x3d0154570c04c0a6u}}},
    {{.batch_rows = 24, .row_bases = 9, .seed = 0xf60295bc85899f48u, .long_records = BIOST_LONG_SPLIT,
      .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.channels =
      "ACDEFGHIKLMNPQRSTVWY", .encoding.lower_case = BIOST_LOWER_CASE_N, .augment.inject_n = 0.05f,
      .labels.kind = BIOST_LABEL_GROUP, .labels.dtype = BIOST_DTYPE_U8, .epoch_end = BIOST_EPOCH_END_ROWS,
      .epoch_rows = 131},
     0, 2, {STORE_G, STORE_Q}, {4, 3}, {0},
     {{6, 131, 0xe492b18160fd6233u},
      {6, 131, 0xbd7468622ec388f1u},
      {6, 131, 0x4a37b0251a6d69b2u}}},
    {{.batch_rows = 60, .row_bases = 33, .pad_multiple = 8, .seed = 0xd89612d9e95e4038u, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.lower_case = BIOST_LOWER_CASE_N, .mask = 1, .mask_in_x = 1, .filter.forbid_n = 1,
      .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0, .split.below = 0.8f,
      .split.block_bases = 65, .regions.kind = BIOST_REGIONS_GRID, .regions.edge = BIOST_EDGE_DROP,
      .regions.jitter = 1, .regions.stride = 7, .regions.forbid_other = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{1, 26, 0x88e6abd014094d16u},
      {1, 26, 0x3c997c210b47029eu},
      {1, 26, 0xd978633d231907ccu}}},
    {{.batch_rows = 12, .row_bases = 400, .seed = 0xb8b72f258ad59a31u, .tail = BIOST_TAIL_DROP, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .encoding.pad_value = 9, .quality.kind = BIOST_QUALITY_PHRED, .filter.max_error_rate = 0.1f,
      .filter.max_n_fraction = 0.1f, .augment.inject_n = 0.05f, .epoch_end = BIOST_EPOCH_END_ROWS,
      .epoch_rows = 131},
     1, 1, {STORE_Q}, {1}, {0},
     {{10, 120, 0x7b957e82f9f7b30du},
      {10, 120, 0x989878cdac4dd96au},
      {10, 120, 0x63026c568671679du}}},
    {{.batch_rows = 60, .row_bases = 1, .seed = 0xb13837644bb70aa7u, .order = BIOST_ORDER_EXACT,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.pad_value = 9, .mask = 1, .mask_dtype =
      BIOST_DTYPE_F32, .filter.min_length = 9, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131,
      .regions.kind = BIOST_REGIONS_INTERVALS, .regions.fit = BIOST_FIT_CENTER, .regions.jitter = 4,
      .regions.intervals = store_intervals, .regions.interval_count = 40, .regions.forbid_other = 1},
     1, 0, {STORE_GH}, {0}, {0},
     {{3, 131, 0x430c45ef37d6c675u},
      {3, 131, 0x1c0ba74b2995436cu},
      {3, 131, 0x8073060baf7ab1afu}}},
    {{.batch_rows = 60, .row_bases = 400, .seed = 0x7e7ea9eae614869cu, .encoding.dtype = BIOST_DTYPE_F16,
      .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .mask = 1, .mask_in_x = 1, .filter.min_mean_quality =
      19.5f, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f,
      .split.strip = "._", .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8},
     0, 0, {STORE_Q}, {0}, {0},
     {{1, 21, 0xe369e2a7506e4669u},
      {1, 21, 0xe5544f501e70d134u},
      {1, 21, 0x0b1689684ef29319u}}},
    {{.batch_rows = 12, .row_bases = 64, .pad_multiple = 8, .seed = 0x80de011bb3503399u, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .augment.reverse_complement = 0.5f,
      .augment.substitute = 0.1f, .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 1, {STORE_G}, {1}, {0},
     {{1, 6, 0x4286505640e962dbu},
      {1, 6, 0xe2f2842160b5d717u},
      {1, 6, 0x1fddb9de5649adc7u}}},
    {{.batch_rows = 24, .row_bases = 0, .max_row_bases = 30, .seed = 0xd7ccd8389376a390u, .long_records =
      BIOST_LONG_TAIL, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I32, .encoding.pad_value = 9, .encoding.pad_side
      = BIOST_PAD_LEFT, .filter.min_mean_quality = 19.5f, .filter.first_records = 5, .split.salt = 7,
      .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2,
      .augment.reverse_complement = 0.5f, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_I32},
     1, 0, {STORE_Q}, {0}, {0},
     {{1, 1, 0x3d0d46077288867du},
      {1, 1, 0xf051423fe63781c3u},
      {1, 1, 0x5398fc40c8405de3u}}},
    {{.batch_rows = 12, .row_bases = 400, .seed = 0x74c147a7028099cu, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .mask = 1, .mask_dtype = BIOST_DTYPE_F32,
      .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_U8, .labels.of_inputs = store_labels,
      .labels.of_input_count = 5, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     0, 4, {STORE_QR, STORE_G, STORE_Q, STORE_H}, {6, 6, 3, 6}, {0},
     {{11, 131, 0xc654f6afedb26d7eu},
      {11, 131, 0x666d189f1cced0b8u},
      {11, 131, 0xd862c7ca424a24a8u}}},
    {{.batch_rows = 12, .row_bases = 16, .seed = 0x540b79a31ed8d541u, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1,
      .mask_in_x = 1, .filter.forbid_n = 1, .augment.reverse_complement = 0.5f, .augment.substitute =
      0.1f, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID,
      .regions.edge = BIOST_EDGE_INSIDE, .regions.jitter = 40, .regions.sequences = store_listed,
      .regions.sequence_count = 3},
     1, 0, {STORE_G}, {0}, {0},
     {{11, 131, 0xfe9b3ea4415e45bbu},
      {11, 131, 0xe0c3c45a9b03097eu},
      {11, 131, 0x5cc293241f3c05a8u}}},
    {{.batch_rows = 60, .row_bases = 64, .seed = 0xa84426523a96f313u, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .encoding.pad_side = BIOST_PAD_LEFT, .filter.subsample_from = 0.25f, .filter.subsample_below =
      0.75f, .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_REGION, .labels.dtype =
      BIOST_DTYPE_F32, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind =
      BIOST_REGIONS_INTERVALS, .regions.fit = BIOST_FIT_CENTER, .regions.edge = BIOST_EDGE_DROP,
      .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 1, .regions.intervals = store_intervals,
      .regions.interval_count = 46, .regions.max_lower_fraction = 0.3f, .regions.max_other_fraction = 0.1f},
     1, 0, {STORE_G}, {0}, {0},
     {{3, 131, 0x43a19ebacab8065bu},
      {3, 131, 0xf437260d14b8b1d2u},
      {3, 131, 0xe34d552f2ddcd593u}}},
    {{.batch_rows = 60, .row_bases = 33, .pad_multiple = 40, .seed = 0xca842250b99db863u, .long_records =
      BIOST_LONG_HEAD, .order = BIOST_ORDER_EXACT, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels
      = "CATG", .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .quality.kind = BIOST_QUALITY_PHRED,
      .quality.in_x = 1, .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .filter.min_length = 9, .split.salt =
      7, .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2,
      .augment.reverse_complement = 0.5f, .augment.inject_n = 0.05f},
     0, 0, {STORE_QR}, {0}, {0},
     {{1, 26, 0x8e6960213f9ca507u},
      {1, 26, 0x5d5a7a7a6cfe250bu},
      {1, 26, 0x7f73ed907f72bd11u}}},
    {{.batch_rows = 24, .row_bases = 0, .max_row_bases = 30, .seed = 0xd634040a614228d6u, .long_records =
      BIOST_LONG_TAIL, .tail = BIOST_TAIL_SHORT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype =
      BIOST_DTYPE_I32, .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1,
      .mask_dtype = BIOST_DTYPE_F32, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_GROUP,
      .labels.dtype = BIOST_DTYPE_U8},
     1, 3, {STORE_H, STORE_Q, STORE_QR}, {5, 1, 1}, {0},
     {{25, 581, 0x876935747b2490b9u},
      {25, 581, 0x01995e83630ffef3u},
      {25, 581, 0x7c453d8b42c75907u}}},
    {{.batch_rows = 12, .row_bases = 9, .pad_multiple = 40, .seed = 0x7962506c1da975e0u, .encoding.dtype =
      BIOST_DTYPE_F32, .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC, .mask = 1, .mask_in_x = 1,
      .filter.max_n_fraction = 0.1f, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind =
      BIOST_REGIONS_GRID, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 1,
      .regions.sequences = store_listed, .regions.sequence_count = 3},
     0, 0, {STORE_G}, {0}, {0},
     {{11, 131, 0xe43d982ba9faf5cfu},
      {11, 131, 0x862a12ae393663bau},
      {11, 131, 0x18076cddbcd78b2du}}},
    {{.batch_rows = 24, .row_bases = 33, .seed = 0xf740f34f633bd9eau, .tail = BIOST_TAIL_SHORT, .order =
      BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64,
      .encoding.pad_value = 9, .encoding.pad_side = BIOST_PAD_LEFT, .mask = 1, .split.salt = 7, .split.by
      = BIOST_SPLIT_BLOCK, .split.from = 0, .split.below = 0.8f, .split.block_bases = 63,
      .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_REGION, .labels.dtype =
      BIOST_DTYPE_F32, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind =
      BIOST_REGIONS_INTERVALS, .regions.fit = BIOST_FIT_SUMMIT, .regions.edge = BIOST_EDGE_INSIDE,
      .regions.intervals = store_intervals, .regions.interval_count = 40, .regions.forbid_other = 1},
     1, 0, {STORE_G}, {0}, {0},
     {{6, 131, 0x123b8158e441ccb3u},
      {6, 131, 0xc3a3d0ff8b2ff15eu},
      {6, 131, 0xdab24632fc2e8597u}}},
    {{.batch_rows = 12, .row_bases = 16, .pad_multiple = 8, .seed = 0x1b9cc4f457f04653u, .long_records =
      BIOST_LONG_CROP, .tail = BIOST_TAIL_DROP, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.layout =
      BIOST_LAYOUT_NCL, .encoding.ambiguous = BIOST_AMBIGUOUS_HELIXER, .quality.kind =
      BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32, .filter.min_length = 9, .split.salt = 7,
      .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2,
      .augment.inject_n = 0.05f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I64},
     1, 0, {STORE_QR}, {0}, {0},
     {{2, 24, 0x3e8f692c67f30230u},
      {2, 24, 0xff1002949d3ff774u},
      {2, 24, 0xc3cc5eb0f022d649u}}},
    {{.batch_rows = 60, .row_bases = 9, .pad_multiple = 8, .seed = 0x777364e60950f113u, .long_records =
      BIOST_LONG_CENTER, .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F16, .encoding.layout =
      BIOST_LAYOUT_NCL, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .encoding.lower_case =
      BIOST_LOWER_CASE_CHANNEL, .filter.max_length = 300, .filter.min_base_quality = 1, .split.salt = 7,
      .split.by = BIOST_SPLIT_FIELD, .split.from = 0, .split.below = 0.6f, .split.field = 2, .labels.kind
      = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I64},
     0, 0, {STORE_Q}, {0}, {0},
     {{1, 18, 0x5c35f3e5786e1840u},
      {1, 18, 0x6d840f5a3155a738u},
      {1, 18, 0xd78eddfb770e3145u}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 37, .pad_multiple = 40, .seed =
      0x35f2828ff70c4564u, .long_records = BIOST_LONG_CROP, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_F32, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.ambiguous = BIOST_AMBIGUOUS_IUPAC,
      .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .filter.first_records = 5, .augment.reverse_complement =
      0.5f, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I32,
      .labels.of_inputs = store_labels, .labels.of_input_count = 4, .epoch_end = BIOST_EPOCH_END_ROWS,
      .epoch_rows = 131},
     1, 3, {STORE_Q, STORE_G, STORE_QR}, {6, 1, 6}, {0},
     {{11, 131, 0x7d441b0bac9c5254u},
      {11, 131, 0x1166d50b9c3923f5u},
      {11, 131, 0x5a95fc94e0539626u}}},
    {{.batch_rows = 24, .row_bases = 0, .max_row_bases = 30, .pad_multiple = 40, .seed =
      0xdf828bc4d7643690u, .long_records = BIOST_LONG_TAIL, .tail = BIOST_TAIL_SHORT, .encoding.kind =
      BIOST_ENCODE_TOKENS, .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_ERROR,
      .quality.dtype = BIOST_DTYPE_F32, .filter.max_length = 300, .filter.max_error_rate = 0.1f,
      .split.salt = 6, .split.by = BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0,
      .augment.reverse_complement = 0.5f, .labels.kind = BIOST_LABEL_INPUT, .labels.dtype =
      BIOST_DTYPE_I32},
     1, 0, {STORE_QR}, {0}, {0},
     {{1, 14, 0x11a951c5d5245c9bu},
      {1, 14, 0x873b2a792ed1ca2du},
      {1, 14, 0xa960a0be2611b59bu}}},
    {{.batch_rows = 60, .row_bases = 400, .seed = 0x88a52428ba0f6f48u, .tail = BIOST_TAIL_DROP, .order =
      BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_F16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .mask = 1, .mask_in_x = 1, .split.salt = 6, .split.by =
      BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0, .augment.substitute = 0.1f,
      .labels.kind = BIOST_LABEL_GROUP, .labels.dtype = BIOST_DTYPE_I32},
     0, 3, {STORE_Q, STORE_G, STORE_H}, {1, 6, 5}, {0},
     {{9, 540, 0x6681216e6388380bu},
      {9, 540, 0x0c08681939d5d35fu},
      {9, 540, 0x695638f76e9cc971u}}},
    {{.batch_rows = 12, .row_bases = 64, .seed = 0xf3c771638c72d888u, .order = BIOST_ORDER_EXACT,
      .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .regions.kind =
      BIOST_REGIONS_GRID, .regions.minus_pad = BIOST_MINUS_PAD_END, .regions.jitter = 1, .regions.stride =
      30},
     1, 0, {STORE_G}, {0}, {0},
     {{2, 20, 0xd4fa9e20d72f22a8u},
      {2, 20, 0xf47d094147ce0e37u},
      {2, 20, 0x87abbdef53c2777du}}},
    {{.batch_rows = 12, .row_bases = 33, .seed = 0x24ffde768673b2f6u, .long_records = BIOST_LONG_CENTER,
      .order = BIOST_ORDER_EXACT, .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype = BIOST_DTYPE_F32,
      .mask = 1, .mask_in_x = 1, .filter.min_length = 9, .split.salt = 6, .split.by =
      BIOST_SPLIT_SEQUENCE, .split.from = 0.25f, .split.below = 0, .augment.reverse_complement = 0.5f,
      .labels.kind = BIOST_LABEL_INPUT, .labels.dtype = BIOST_DTYPE_I32},
     1, 0, {STORE_Q}, {0}, {0},
     {{3, 30, 0x78476d4d1ea55decu},
      {3, 30, 0xcb91f02627257a5cu},
      {3, 30, 0x6000421361708924u}}},
    {{.batch_rows = 60, .row_bases = 33, .seed = 0x369d3b924f45bd06u, .long_records = BIOST_LONG_HEAD,
      .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.kind = BIOST_ENCODE_TOKENS,
      .filter.first_records = 5, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0,
      .split.below = 0.7f, .split.strip = "._", .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows = 131},
     1, 2, {STORE_H, STORE_Q}, {5, 6}, {0},
     {{3, 131, 0xd2752c11a9678af9u},
      {3, 131, 0xaf4d921d3692500bu},
      {3, 131, 0xae12665b7bbb4ae6u}}},
    {{.batch_rows = 12, .row_bases = 1, .seed = 0xfbf70c84c83f925bu, .tail = BIOST_TAIL_SHORT,
      .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.dtype = BIOST_DTYPE_I64, .encoding.pad_value = 9,
      .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .augment.substitute = 0.1f, .epoch_end =
      BIOST_EPOCH_END_ROWS, .epoch_rows = 131, .regions.kind = BIOST_REGIONS_GRID, .regions.minus_pad =
      BIOST_MINUS_PAD_END, .regions.stride = 1, .regions.sequences = store_listed, .regions.sequence_count
      = 3},
     0, 0, {STORE_G}, {0}, {0},
     {{11, 131, 0x18a6334929d14f4cu},
      {11, 131, 0x7aa859a1e7c8846au},
      {11, 131, 0x680b3501df5b74aeu}}},
    {{.batch_rows = 12, .row_bases = 0, .max_row_bases = 30, .seed = 0x9072cd3c76433dfdu, .long_records =
      BIOST_LONG_TAIL, .tail = BIOST_TAIL_SHORT, .encoding.kind = BIOST_ENCODE_TOKENS, .encoding.pad_value
      = 9, .encoding.pad_side = BIOST_PAD_LEFT, .quality.kind = BIOST_QUALITY_ERROR, .quality.dtype =
      BIOST_DTYPE_F32, .mask = 1, .mask_dtype = BIOST_DTYPE_F32, .filter.max_length = 300,
      .filter.max_error_rate = 0.1f, .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0,
      .split.below = 0.7f, .split.strip = "._"},
     1, 0, {STORE_Q}, {0}, {0},
     {{2, 16, 0x6d6d15b23bae47f6u},
      {2, 16, 0x2307797cf9943191u},
      {2, 16, 0xea6b4767d5032adeu}}},
    {{.batch_rows = 24, .row_bases = 16, .pad_multiple = 40, .seed = 0x7355299207c9bd46u, .long_records =
      BIOST_LONG_HEAD, .tail = BIOST_TAIL_SHORT, .order = BIOST_ORDER_EXACT, .encoding.dtype =
      BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.ambiguous = BIOST_AMBIGUOUS_N,
      .mask = 1, .mask_in_x = 1, .filter.min_mean_quality = 19.5f, .filter.max_n_fraction = 0.1f,
      .split.salt = 5, .split.by = BIOST_SPLIT_NAME, .split.from = 0, .split.below = 0.7f, .split.strip =
      "._", .augment.crop_bases = 1, .augment.substitute = 0.1f, .labels.kind = BIOST_LABEL_INPUT,
      .labels.dtype = BIOST_DTYPE_U8},
     0, 0, {STORE_QR}, {0}, {0},
     {{1, 14, 0x4f560e9a1597ca85u},
      {1, 14, 0x3093704654c4c4fcu},
      {1, 14, 0x4ec934edf81d0e87u}}},
    {{.batch_rows = 24, .row_bases = 9, .seed = 0x1a544bd12f8ac96bu, .long_records = BIOST_LONG_HEAD,
      .order = BIOST_ORDER_EXACT, .encoding.dtype = BIOST_DTYPE_BF16, .encoding.layout = BIOST_LAYOUT_NCL,
      .encoding.channels = "ACDEFGHIKLMNPQRSTVWY", .encoding.lower_case = BIOST_LOWER_CASE_N,
      .augment.crop_bases = 6, .augment.inject_n = 0.05f, .labels.kind = BIOST_LABEL_GROUP, .labels.dtype
      = BIOST_DTYPE_U8, .epoch_end = BIOST_EPOCH_END_FIRST},
     1, 3, {STORE_QR, STORE_Q, STORE_H}, {4, 1, 6}, {0},
     {{1, 5, 0xf1888ecf3cbd7357u},
      {1, 5, 0x9e4ca3a4210584a1u},
      {1, 5, 0xa7f0077f41341a54u}}},
    {{.batch_rows = 24, .row_bases = 33, .pad_multiple = 8, .seed = 0x85e6e45efe94bd06u, .tail =
      BIOST_TAIL_SHORT, .encoding.layout = BIOST_LAYOUT_NCL, .encoding.channels = "ACDEFGHIKLMNPQRSTVWY",
      .mask = 1, .mask_in_x = 1, .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0,
      .split.below = 0.8f, .split.block_bases = 63, .regions.kind = BIOST_REGIONS_GRID, .regions.edge =
      BIOST_EDGE_INSIDE, .regions.sequences = store_listed, .regions.sequence_count = 3,
      .regions.forbid_lower = 1, .regions.forbid_other = 1},
     1, 0, {STORE_GH}, {0}, {0},
     {{1, 4, 0x829cf3bddefc26d3u},
      {1, 4, 0x2732f935fe075cd2u},
      {1, 4, 0xb392d300702bbe84u}}},
    {{.batch_rows = 24, .row_bases = 33, .pad_multiple = 40, .seed = 0x52f98f4302844eb4u, .tail =
      BIOST_TAIL_DROP, .encoding.lower_case = BIOST_LOWER_CASE_CHANNEL, .filter.every_record = 2,
      .split.salt = 7, .split.by = BIOST_SPLIT_BLOCK, .split.from = 0, .split.below = 0.8f,
      .split.block_bases = 71, .augment.substitute = 0.1f, .epoch_end = BIOST_EPOCH_END_ROWS, .epoch_rows
      = 131, .regions.kind = BIOST_REGIONS_INTERVALS, .regions.strands = BIOST_STRANDS_BOTH, .regions.fit
      = BIOST_FIT_SUMMIT, .regions.jitter = 4, .regions.intervals = store_intervals,
      .regions.interval_count = 40},
     0, 0, {STORE_G}, {0}, {0},
     {{5, 120, 0xaeaa958abcb3fe15u},
      {5, 120, 0xdf117953465011a4u},
      {5, 120, 0x13ddcb82763dcf97u}}},
};
/* clang-format on */
